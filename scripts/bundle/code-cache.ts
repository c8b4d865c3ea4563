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
import {distrust, othersAccess} from '../../src/system/trusted-files.js';

/**
 * The code that V8 compiled in earlier runs, in files. A user who can write such a file decides what runs,
 * and V8 crashes on a damaged file. So only files that no other user can have written are loaded, and each
 * contains its data twice, then its length: if both copies agree, they are undamaged. The comparison takes
 * 0.05 ms, a checksum 2 ms. Nothing here throws.
 */
export class CodeCache {
  readonly #base: string;
  /** The directory of the files, which need not exist. */
  readonly #directory: string;

  /** @param base the user's cache directory; the first `save` creates our subdirectory */
  constructor(base: string) {
    this.#base = base;
    this.#directory = `${base}/connectorctl/compiled`;
  }

  /** The data stored under a name; undefined if there is none or it cannot be trusted. */
  load(name: string): Buffer | undefined {
    try {
      return isOurs(lstatSync(this.#directory))
        ? readTwin(`${this.#directory}/${name}`)
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** @param produce creates the data, which is expensive; called only if it can be written */
  save(name: string, produce: () => Buffer): void {
    try {
      // Never writes to a home directory that belongs to another user, and never creates one.
      const home = existsSync(this.#base) ? this.#base : dirname(this.#base);
      if (!isOurs(statSync(home))) return;
      // Not `recursive`: it never returns if the home is in a file system such as `/proc`.
      for (const path of [this.#base, dirname(this.#directory), this.#directory]) {
        if (!existsSync(path)) mkdirSync(path, {mode: 0o700});
      }
      if (!isOurs(lstatSync(this.#directory))) return;
      writeTwin(`${this.#directory}/${name}`, produce);
      this.#dropOld();
    } catch {
      // A command must succeed on a read-only or full disk as well.
    }
  }

  /** Removes the files of other versions of connectorctl and Node. */
  #dropOld(): void {
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (Date.now() - lstatSync(path).mtimeMs > longestAge) rmSync(path, {force: true});
    }
  }
}

const lengthBytes = 4;

/** Milliseconds after which a file is removed, and created again if it is needed: 30 days. */
const longestAge = 30 * day;

/**
 * The user's cache directory on this platform (XDG Base Directory Specification, Apple's File System
 * Programming Guide); undefined if the environment does not name one.
 */
export function userCacheDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string | undefined {
  const absolute = (path: string | undefined) =>
    path !== undefined && isAbsolute(path) ? path : undefined;
  const below = (base: string | undefined, ...names: string[]) => base && join(base, ...names);
  const home = absolute(env['HOME']);
  if (platform === 'darwin') return below(home, 'Library', 'Caches');
  return absolute(env['XDG_CACHE_HOME']) ?? below(home, '.cache');
}

/** Whether only this user or root can have written it: code needs a stricter rule than settings. */
function isOurs(found: Stats): boolean {
  return distrust(found, othersAccess.write) === undefined;
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
    // On a disk that becomes full, a partial write is not an error of the system call.
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
