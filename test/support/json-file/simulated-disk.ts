import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {Files} from '../../../src/system/durable-file.js';
import {systemError} from './watched-files.js';

/** A power failure keeps or loses each sector of a write independently. */
const sectorBytes = 512;

/** An unsynced change to the content of a file, or to the entries of a directory. */
type Change<State> = (before: State) => State;

function written(content: Buffer, at: number, bytes: Buffer): Buffer {
  const larger = Buffer.alloc(Math.max(content.length, at + bytes.length));
  content.copy(larger);
  bytes.copy(larger, at);
  return larger;
}

class DiskFile {
  static #count = 0;
  readonly ino = ++DiskFile.#count;
  content: Buffer;
  /** Grows with each keep-alive. */
  mtimeMs = 0;
  #durable: Buffer;
  #changes: Change<Buffer>[] = [];

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.content = content;
    this.#durable = content;
  }

  #change(change: Change<Buffer>): void {
    this.content = change(this.content);
    this.#changes.push(change);
  }

  write(at: number, bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const next = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes));
      const [begin, sector] = [at + from, Buffer.from(bytes.subarray(from, next))];
      this.#change((content) => written(content, begin, sector));
      from = next;
    }
  }

  truncate(length: number): void {
    this.#change((content) => Buffer.concat([content], length));
  }

  sync(): void {
    this.#durable = this.content;
    this.#changes = [];
  }

  /** The file after a power failure, which keeps a random subset of the unsynced sectors. */
  afterPowerFailure(random: () => number): DiskFile {
    const kept = this.#changes.filter(() => random() < 0.5);
    return new DiskFile(kept.reduce((content, change) => change(content), this.#durable));
  }
}

/** The end of a process: by a power failure of its machine, or by a kill. */
type Failure = 'power failure' | 'kill';

type Entries = ReadonlyMap<string, DiskFile>;

/** Entries with a file under a name, or without that name. */
const entry =
  (name: string, file?: DiskFile): Change<Entries> =>
  (entries) =>
    new Map([...entries].filter(([other]) => other !== name).concat(file ? [[name, file]] : []));

/**
 * One directory on a disk that loses unsynced data in a power failure: any sectors of each file, and the
 * last changes of the directory. Files keep synced data; a name lasts after a sync of its directory.
 */
export class SimulatedDisk {
  readonly directory: string;
  #entries: Entries = new Map();
  #durable: Entries = new Map();
  #changes: Change<Entries>[] = [];
  #calls = 0;
  #failAt = Number.POSITIVE_INFINITY;
  #failure: Failure = 'power failure';
  #left: SimulatedDisk | undefined;
  #random: () => number = () => 0;
  #boot = 1;
  /** Start time of the process that uses the disk. */
  #started = 1;

  constructor(directory: string) {
    this.directory = directory;
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
    return this.#rebooted(entry(name, new DiskFile(content))(this.#entries));
  }

  /** Fails before the call with this number. */
  failAt(call: number, random: () => number, failure: Failure = 'power failure'): void {
    this.#failAt = call;
    this.#random = random;
    this.#failure = failure;
  }

  /** The disk after the failure, or after one now if it has not come yet. */
  restart(): SimulatedDisk {
    return this.#left ?? (this.#failure === 'kill' ? this.#afterKill() : this.#afterPowerFailure());
  }

  #rebooted(entries: Entries): SimulatedDisk {
    const disk = new SimulatedDisk(this.directory);
    disk.#entries = entries;
    disk.#durable = entries;
    disk.#boot = this.#boot + 1;
    return disk;
  }

  /** Keeps everything that was written, synced or not. */
  #afterKill(): SimulatedDisk {
    const disk = this.#rebooted(this.#entries);
    disk.#durable = this.#durable;
    disk.#changes = [...this.#changes];
    disk.#boot = this.#boot;
    disk.#started = this.#started + 1;
    return disk;
  }

  #afterPowerFailure(): SimulatedDisk {
    const lasting = Math.floor(this.#random() * (this.#changes.length + 1));
    const changes = this.#changes.slice(0, lasting);
    const entries = changes.reduce((before, change) => change(before), this.#durable);
    const files = new Map<DiskFile, DiskFile>();
    for (const file of entries.values()) {
      if (!files.has(file)) files.set(file, file.afterPowerFailure(this.#random));
    }
    return this.#rebooted(new Map([...entries].map(([name, file]) => [name, files.get(file)!])));
  }

  #call(): void {
    this.#calls += 1;
    if (this.#calls === this.#failAt) this.#left = this.restart();
    if (this.#calls >= this.#failAt) throw systemError('EIO', 'the process has ended');
  }

  #change(...changes: readonly Change<Entries>[]): void {
    const change: Change<Entries> = (entries) =>
      changes.reduce((before, one) => one(before), entries);
    this.#entries = change(this.#entries);
    this.#changes.push(change);
  }

  #file(target: string): DiskFile {
    const file = this.#entries.get(path.basename(target));
    if (file === undefined) throw systemError('ENOENT', target);
    return file;
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
      rename: (from: string, to: string) =>
        this.#change(entry(path.basename(from)), entry(path.basename(to), this.#file(from))),
      rm: (target: string) => this.#change(entry(path.basename(target))),
      unlink: (target: string) => {
        this.#file(target);
        this.#change(entry(path.basename(target)));
      },
      open: (target: string, flags: string | number) =>
        target === this.directory ? this.#directoryHandle() : this.#open(target, flags),
    };
    return this.#asFiles<Files>(calls);
  }

  #stat(target: string): object {
    const isDirectory = target === this.directory;
    const {ino, mtimeMs, content} = isDirectory
      ? {ino: 0, mtimeMs: 0, content: ''}
      : this.#file(target);
    return {
      ino,
      mtimeMs,
      dev: 1,
      uid: process.geteuid?.(),
      mode: isDirectory ? 0o700 : 0o600,
      size: content.length,
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
      this.#change(entry(name, new DiskFile()));
    }
    const file = this.#file(target);
    const hasDurableWrites = (Number(flags) & constants.O_DSYNC) !== 0;
    return this.#asFiles<FileHandle>({
      read: (buffer: Buffer, offset: number, length: number, position: number) => ({
        bytesRead: file.content.copy(buffer, offset, position, position + length),
      }),
      write: (bytes: Buffer, offset: number, length: number, position: number) => {
        file.write(position, bytes.subarray(offset, offset + length));
        if (hasDurableWrites) {
          // The failure may come in the middle of the write.
          this.#call();
          file.sync();
        }
        return {bytesWritten: length};
      },
      writeFile: (data: string | Buffer) =>
        file.write(file.content.length, Buffer.from(data as string)),
      truncate: (length: number) => file.truncate(length),
      stat: () => ({ino: file.ino, dev: 1, size: file.content.length}),
      sync: () => file.sync(),
      datasync: () => file.sync(),
      close: () => {},
    });
  }

  #directoryHandle(): FileHandle {
    const sync = () => {
      for (const change of this.#changes) this.#durable = change(this.#durable);
      this.#changes = [];
    };
    return this.#asFiles<FileHandle>({sync, close: () => {}});
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
