import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {Files} from '../../../src/system/files.js';
import {systemError} from './watched-files.js';

/** An unsynced change to a file: bytes at an offset, or a truncation. */
type Change = {readonly at: number; readonly bytes: Buffer} | {readonly cutTo: number};

/** A power failure keeps or loses each sector of a write independently. */
const sectorBytes = 512;

function changed(content: Buffer, change: Change): Buffer {
  if ('cutTo' in change) {
    const cut = Buffer.alloc(change.cutTo);
    content.copy(cut, 0, 0, change.cutTo);
    return cut;
  }
  const end = change.at + change.bytes.length;
  const larger = Buffer.alloc(Math.max(content.length, end));
  content.copy(larger);
  change.bytes.copy(larger, change.at);
  return larger;
}

class DiskFile {
  static #count = 0;
  readonly ino = ++DiskFile.#count;
  content: Buffer;
  /** Grows with each keep-alive. */
  mtimeMs = 0;
  #durable: Buffer;
  #changes: Change[] = [];

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.content = content;
    this.#durable = content;
  }

  change(change: Change): void {
    this.content = changed(this.content, change);
    this.#changes.push(change);
  }

  sync(): void {
    this.#durable = this.content;
    this.#changes = [];
  }

  /** The file after a power failure, which keeps a random subset of the unsynced sectors. */
  afterPowerFailure(random: () => number): DiskFile {
    let content = this.#durable;
    for (const change of this.#changes) {
      for (const part of sectors(change)) if (random() < 0.5) content = changed(content, part);
    }
    return new DiskFile(content);
  }
}

function* sectors(change: Change): Generator<Change> {
  if ('cutTo' in change) {
    yield change;
    return;
  }
  const end = change.at + change.bytes.length;
  for (let at = change.at; at < end; ) {
    const next = Math.min(end, (Math.floor(at / sectorBytes) + 1) * sectorBytes);
    yield {at, bytes: change.bytes.subarray(at - change.at, next - change.at)};
    at = next;
  }
}

/** The end of a process: by a power failure of its machine, or by a kill. */
type Failure = 'power failure' | 'kill';

/** A change to a directory: entries to set, or to remove (undefined). */
type Rename = ReadonlyMap<string, DiskFile | undefined>;

/**
 * One directory on a disk that loses unsynced data in a power failure: any sectors of each file, and the
 * last changes of the directory. Files keep synced data; a name lasts after a sync of its directory.
 */
export class SimulatedDisk {
  readonly directory: string;
  readonly #entries: Map<string, DiskFile>;
  readonly #durable: Map<string, DiskFile>;
  #renames: Rename[] = [];
  #calls = 0;
  #failAt = Number.POSITIVE_INFINITY;
  #failure: Failure = 'power failure';
  #left: SimulatedDisk | undefined;
  #random: () => number = () => 0;
  readonly #boot: number;
  /** Start time of the process that uses the disk. */
  readonly #started: number;

  constructor(
    directory: string,
    entries = new Map<string, DiskFile>(),
    boot = 1,
    durable: ReadonlyMap<string, DiskFile> = entries,
    started = 1,
  ) {
    this.directory = directory;
    this.#entries = entries;
    this.#durable = new Map(durable);
    this.#boot = boot;
    this.#started = started;
  }

  /** File calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** The content of a file. */
  content(name: string): Buffer {
    return this.#file(name).content;
  }

  /** A copy of the disk with one file replaced. */
  with(name: string, content: Buffer): SimulatedDisk {
    const entries = new Map(this.#entries).set(name, new DiskFile(content));
    return new SimulatedDisk(this.directory, entries, this.#boot + 1);
  }

  /** Fails before the call with this number. */
  failAt(call: number, random: () => number, failure: Failure = 'power failure'): void {
    this.#failAt = call;
    this.#random = random;
    this.#failure = failure;
  }

  /** The disk after the failure, or after one now if it has not come yet. */
  restart(): SimulatedDisk {
    return this.#left ?? this.#afterFailure();
  }

  #afterFailure(): SimulatedDisk {
    return this.#failure === 'kill' ? this.#afterKill() : this.#afterPowerFailure();
  }

  /** Keeps everything that was written, synced or not. */
  #afterKill(): SimulatedDisk {
    const entries = new Map(this.#entries);
    const left = new SimulatedDisk(
      this.directory,
      entries,
      this.#boot,
      this.#durable,
      this.#started + 1,
    );
    left.#renames = [...this.#renames];
    return left;
  }

  #afterPowerFailure(): SimulatedDisk {
    const entries = new Map(this.#durable);
    const lasting = Math.floor(this.#random() * (this.#renames.length + 1));
    for (const rename of this.#renames.slice(0, lasting)) apply(entries, rename);
    const files = new Map<DiskFile, DiskFile>();
    for (const [name, file] of entries) {
      const left = files.get(file) ?? file.afterPowerFailure(this.#random);
      files.set(file, left);
      entries.set(name, left);
    }
    return new SimulatedDisk(this.directory, entries, this.#boot + 1);
  }

  #call(): void {
    this.#calls += 1;
    if (this.#calls === this.#failAt) this.#left = this.#afterFailure();
    if (this.#calls >= this.#failAt) throw systemError('EIO', 'the process has ended');
  }

  #rename(rename: Rename): void {
    apply(this.#entries, rename);
    this.#renames.push(rename);
  }

  #file(target: unknown): DiskFile {
    const file = this.#entries.get(path.basename(String(target)));
    if (file === undefined) throw systemError('ENOENT', String(target));
    return file;
  }

  #syncDirectory(): void {
    for (const rename of this.#renames) apply(this.#durable, rename);
    this.#renames = [];
  }

  /** The file calls that the store makes, on this disk. */
  get files(): Files {
    const calls = {
      chmod: () => {},
      mkdir: () => undefined,
      readdir: () => [...this.#entries.keys()],
      readFile: (target: string, encoding?: string) => {
        if (target.startsWith('/proc/')) return this.#proc(target);
        const {content} = this.#file(target);
        return encoding === undefined ? Buffer.from(content) : content.toString();
      },
      utimes: (target: string) => {
        this.#file(target).mtimeMs += 1;
      },
      lstat: (target: string) => this.#stat(target),
      stat: (target: string) => this.#stat(target),
      rename: (from: string, to: string) => {
        const file = this.#file(from);
        this.#rename(
          new Map([
            [path.basename(from), undefined],
            [path.basename(to), file],
          ]),
        );
      },
      rm: (target: string) => {
        this.#rename(new Map([[path.basename(target), undefined]]));
      },
      unlink: (target: string) => {
        this.#file(target);
        this.#rename(new Map([[path.basename(target), undefined]]));
      },
      open: (target: string, flags: string | number) =>
        target === this.directory ? this.#directoryHandle() : this.#open(target, flags),
    };
    return this.#asFiles<Files>(calls);
  }

  #stat(target: string): object {
    const isDirectory = target === this.directory;
    const {ino, mtimeMs} = isDirectory ? {ino: 0, mtimeMs: 0} : this.#file(target);
    return {
      ino,
      mtimeMs,
      dev: 1,
      uid: process.geteuid?.(),
      mode: isDirectory ? 0o700 : 0o600,
      size: isDirectory ? 0 : this.#file(target).content.length,
      isDirectory: () => isDirectory,
      isFile: () => !isDirectory,
      isSocket: () => false,
      isSymbolicLink: () => false,
    };
  }

  #proc(target: string): string {
    if (target.endsWith('boot_id')) return `boot ${this.#boot}\n`;
    if (target.endsWith('/stat')) return `0 (node) S ${'0 '.repeat(18)}${this.#started}`;
    throw systemError('ENOENT', target);
  }

  #open(target: string, flags: string | number): FileHandle {
    const name = path.basename(target);
    if (flags === 'wx' && this.#entries.has(name)) throw systemError('EEXIST', target);
    if (flags !== 'r' && flags !== 'r+' && !this.#entries.has(name)) {
      this.#rename(new Map([[name, new DiskFile()]]));
    }
    const file = this.#file(target);
    return this.#handle(file);
  }

  #handle(file: DiskFile): FileHandle {
    return this.#asFiles<FileHandle>({
      read: (buffer: Buffer, offset: number, length: number, position: number) => ({
        bytesRead: file.content.copy(buffer, offset, position, position + length),
      }),
      write: (bytes: Buffer, offset: number, length: number, position: number) => {
        file.change({at: position, bytes: Buffer.from(bytes.subarray(offset, offset + length))});
        return {bytesWritten: length};
      },
      writeFile: (data: string | Buffer) => {
        file.change({at: file.content.length, bytes: Buffer.from(data as string)});
      },
      truncate: (cutTo: number) => file.change({cutTo}),
      stat: () => ({ino: file.ino, dev: 1, size: file.content.length}),
      sync: () => file.sync(),
      datasync: () => file.sync(),
      close: () => {},
    });
  }

  #directoryHandle(): FileHandle {
    return this.#asFiles<FileHandle>({sync: () => this.#syncDirectory(), close: () => {}});
  }

  /** Counts each call, and rejects every call after the failure. The store makes no other calls. */
  #asFiles<Type>(calls: object): Type {
    return Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        async (...args: unknown[]) => {
          // Reading /proc needs no disk.
          const [target] = args;
          if (typeof target !== 'string' || !target.startsWith('/proc/')) this.#call();
          const result = call(...args);
          // A disk takes longer than a turn of the event loop: whatever waits for none works meanwhile.
          await nextTurn();
          return result;
        },
      ]),
    ) as Type;
  }
}

function apply(entries: Map<string, DiskFile>, rename: Rename): void {
  for (const [name, file] of rename) {
    if (file === undefined) entries.delete(name);
    else entries.set(name, file);
  }
}
