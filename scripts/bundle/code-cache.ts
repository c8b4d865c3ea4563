import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writevSync,
} from 'node:fs';
import {dirname, isAbsolute, join} from 'node:path';
import {day} from '../../src/domain/time.js';

/**
 * What V8 compiled in earlier runs, in files. Whoever can write such a file decides what runs, and V8
 * itself crashes on a damaged one. So only files are taken that this user alone can have written, and
 * each holds its data twice, then its length: two copies that agree are whole, and comparing them costs
 * a twentieth of a millisecond where any checksum costs two. Nothing here ever throws.
 */
export class CodeCache {
  readonly #base: string;
  readonly #directory: string;

  /** @param base the directory of the user's caches; ours in it is made at the first `save` */
  constructor(base: string) {
    this.#base = base;
    this.#directory = join(base, 'connectorctl', 'compiled');
  }

  /** The data under a name; undefined when there is none that can be trusted. */
  load(name: string): Buffer | undefined {
    try {
      return isOurs(lstatSync(this.#directory)) ? readTwin(join(this.#directory, name)) : undefined;
    } catch {
      return undefined;
    }
  }

  /** @param produce is called only when the data can be written: making it is costly */
  save(name: string, produce: () => Buffer): void {
    try {
      // Nothing is put into a home that is another user's, or that does not exist.
      const home = existsSync(this.#base) ? this.#base : dirname(this.#base);
      if (!isOurs(statSync(home))) return;
      // Not `recursive`, which would not return where the home takes no directories, such as `/proc`.
      for (const path of [this.#base, dirname(this.#directory), this.#directory]) {
        if (!existsSync(path)) mkdirSync(path, {mode: 0o700});
      }
      if (!isOurs(lstatSync(this.#directory))) return;
      writeTwin(join(this.#directory, name), produce);
      this.#dropOld();
    } catch {
      // The cache is a convenience: a read-only or full disk must not stop a command.
    }
  }

  remove(name: string): void {
    rmSync(join(this.#directory, name), {force: true});
  }

  /** Other versions and other Nodes leave files behind. */
  #dropOld(): void {
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (Date.now() - lstatSync(path).mtimeMs > longestAge) rmSync(path, {force: true});
    }
  }
}

const lengthBytes = 4;

/** Milliseconds after which a file is made anew: 30 days. */
const longestAge = 30 * day;

/**
 * Where a user's caches are on this platform (XDG Base Directory Specification, Apple's File System
 * Programming Guide, Windows known directories); undefined where the environment does not say.
 */
export function userCacheDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string | undefined {
  const absolute = (path: string | undefined) =>
    path !== undefined && isAbsolute(path) ? path : undefined;
  const below = (base: string | undefined, ...names: string[]) => base && join(base, ...names);
  if (platform === 'win32') return absolute(env['LOCALAPPDATA']);
  const home = absolute(env['HOME']);
  if (platform === 'darwin') return below(home, 'Library', 'Caches');
  return absolute(env['XDG_CACHE_HOME']) ?? below(home, '.cache');
}

/** Whether only this user (or, on Windows, whom its directory admits) can have written it. */
function isOurs({uid, mode}: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

function readTwin(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOurs(stats)) return undefined;
    const {size} = stats;
    const content = Buffer.allocUnsafeSlow(size);
    if (readSync(file, content, 0, size, 0) !== size) return undefined;
    const length = content.readUInt32LE(size - lengthBytes);
    if (size !== 2 * length + lengthBytes) return undefined;
    const same = content.compare(content, length, 2 * length, 0, length) === 0;
    return same ? content.subarray(0, length) : undefined;
  } finally {
    closeSync(file);
  }
}

function writeTwin(path: string, produce: () => Buffer): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    const data = produce();
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(data.length);
    // A disk that becomes full takes a part, which is no error to the system.
    const written = writevSync(file, [data, data, length]);
    if (written !== 2 * data.length + lengthBytes) throw new Error('The disk is full');
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, {force: true});
    throw error;
  } finally {
    closeSync(file);
  }
}
