import {randomBytes} from 'node:crypto';
import {constants} from 'node:fs';
import type {FileHandle} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import process from 'node:process';
import type {Clock} from './clock.js';
import {ownerOnly} from './durable-file.js';
import {errorCode} from './error-codes.js';
import type {Files} from './files.js';
import {isOwnerRunning, type LockOwner, parseOwner, type Self} from './lock-owner.js';

/**
 * Milliseconds: between two keep-alives; until an owner without one must no longer rely on its lock; and until others
 * that watched the lock all the time may take it. Each side measures with its own clock, and `loses` is below
 * `gone` by more than the time of a write.
 */
export const alive = {every: 1000, loses: 6000, gone: 8000} as const;

/** Milliseconds to wait for another process: one that was killed elsewhere holds its lock for `gone`. */
export const patience = alive.gone + 2000;

/**
 * Milliseconds between two attempts, randomized: two processes that collide do not collide again. Longer while only
 * keep-alives can show anything new.
 */
const pauses = {free: {min: 5, max: 45}, watched: {min: 50, max: 250}} as const;

/** What the lock files of a whole directory are named after. */
export const wholeDirectory = '.connectorctl';

/** Ending of every lock file: pid and random digits; then that of one which is not complete. */
const lockSuffix = /\.lock-(\d+)-[0-9a-f]{12}(\.tmp)?$/;

/** Bytes; the text of a lock is shorter. */
const longestText = 4096;

/** A lock of another process. */
export interface Rival {
  readonly name: string;
  readonly owner: LockOwner;
  /** Whether its process certainly runs. */
  readonly isRunning: boolean;
}

/** The locks of other processes that conflict with one target, and what was seen of them so far. */
export class Rivals {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #self: Self;
  readonly #directory: string;
  readonly #target: string;
  /** By name: the time of the file, since when it has not changed, and whether it has changed before. */
  readonly #seen = new Map<string, {modified: number; since: number; isAlive: boolean}>();

  #haveSilent = false;

  constructor(files: Files, clock: Clock, self: Self, target: string) {
    this.#files = files;
    this.#clock = clock;
    this.#self = self;
    this.#directory = dirname(target);
    this.#target = basename(target);
  }

  /** Whether a lock was removed because its owner was silent. */
  get haveSilent(): boolean {
    return this.#haveSilent;
  }

  now(): number {
    return this.#clock.now();
  }

  pause(others: readonly Rival[], signal?: AbortSignal): Promise<void> {
    const isWatching = others.length > 0 && !others.some(({isRunning}) => isRunning);
    const {min, max} = pauses[isWatching ? 'watched' : 'free'];
    return this.#clock.wait(min + Math.random() * (max - min), signal);
  }

  pathOf(name: string): string {
    return join(this.#directory, name);
  }

  stat(name: string) {
    return this.#files.stat(this.pathOf(name));
  }

  /** @returns false when the file is gone */
  async touch(name: string): Promise<boolean> {
    const now = new Date();
    try {
      await this.#files.utimes(this.pathOf(name), now, now);
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  remove(name: string): Promise<void> {
    return this.#files.unlink(this.pathOf(name)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  /**
   * Creates a complete lock file.
   *
   * @returns its name, and the open file; undefined when another process removed the draft
   */
  async create(
    label: string,
  ): Promise<{readonly name: string; readonly file: FileHandle} | undefined> {
    const name = `${this.#target}.lock-${process.pid}-${randomBytes(6).toString('hex')}`;
    const draft = `${name}.tmp`;
    const file = await this.#files.open(this.pathOf(draft), 'wx', ownerOnly);
    try {
      const {ino} = await file.stat();
      await file.writeFile(`${JSON.stringify({...this.#self, label, inode: ino})}\n`);
      await this.#files.rename(this.pathOf(draft), this.pathOf(name));
      return {name, file};
    } catch (error) {
      await this.discard(draft, file);
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async discard(name: string, file: FileHandle): Promise<void> {
    await file.close().catch(() => {});
    await this.remove(name).catch(() => {});
  }

  /**
   * The locks of processes that run or may run; removes those of processes that have ended.
   *
   * @param own name of this process's lock: without one, nothing shows a silent owner that resumes that its lock is
   *   about to be taken, so that stays
   */
  async find(own?: string): Promise<readonly Rival[]> {
    const names = await this.#files.readdir(this.#directory);
    const found: Rival[] = [];
    for (const name of names) {
      if (name === own || !this.#conflicts(name)) continue;
      const rival = await this.#look(name, own !== undefined);
      if (rival !== undefined) found.push(rival);
    }
    return found;
  }

  /** Whether a file is a lock of the same target, or one of the two is of the whole directory. */
  #conflicts(name: string): boolean {
    if (!lockSuffix.test(name)) return false;
    const locked = name.replace(lockSuffix, '');
    return locked === this.#target || locked === wholeDirectory || this.#target === wholeDirectory;
  }

  /** @returns undefined when the lock was released, or its owner has ended */
  async #look(name: string, removesSilent: boolean): Promise<Rival | undefined> {
    const path = this.pathOf(name);
    try {
      // Network file systems return the current time of a file that was just opened.
      const text = await this.#read(path).catch(() => '');
      const found = await this.#files.lstat(path);
      // Another user planted it.
      if (!found.isFile()) return undefined;
      const [, pid, draft] = lockSuffix.exec(name) ?? [];
      const owner = parseOwner(text, Number(pid));
      const isRunning = await isOwnerRunning(this.#files, owner, this.#self);
      // A process whose draft was removed tries again.
      if (isRunning === false || (draft !== undefined && !isRunning)) {
        await this.remove(name).catch(() => {});
        return undefined;
      }
      if (draft !== undefined) return undefined;
      if (isRunning && owner.inode === found.ino) return {name, owner, isRunning};
      const isAlive = this.#watch(name, found.mtimeMs);
      if (isAlive !== undefined) return {name, owner, isRunning: isAlive};
      // An owner that resumes after a long stop must not find it, so this must succeed.
      if (removesSilent) {
        await this.remove(name).catch((error: unknown) => {
          const code = errorCode(error);
          const message = `the stale lock ${path} cannot be removed (${code})`;
          throw Object.assign(new Error(message, {cause: error}), {code});
        });
        this.#haveSilent = true;
      }
      return undefined;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The start of a regular file; opening a pipe does not wait for its writer. */
  async #read(path: string): Promise<string> {
    const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants;
    const file = await this.#files.open(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) return '';
      const {buffer, bytesRead} = await file.read({buffer: Buffer.alloc(longestText)});
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Whether a lock had a keep-alive while it was watched; undefined when it had none for too long. */
  #watch(name: string, modified: number): boolean | undefined {
    const now = this.#clock.now();
    const seen = this.#seen.get(name);
    if (seen?.modified === modified)
      return now - seen.since < alive.gone ? seen.isAlive : undefined;
    this.#seen.set(name, {modified, since: now, isAlive: seen !== undefined});
    return seen !== undefined;
  }
}
