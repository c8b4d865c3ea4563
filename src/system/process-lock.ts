import type {FileHandle} from 'node:fs/promises';
import {join} from 'node:path';
import {type Clock, systemClock} from './clock.js';
import {errorCode} from './error-codes.js';
import {type Files, nodeFiles} from './files.js';
import {describeSelf, type LockOwner} from './lock-owner.js';
import {alive, type Rival, Rivals, wholeDirectory} from './lock-rivals.js';

/** What to lock, and how. */
interface LockRequest {
  /** `directory`: all files in the target, which is a directory. */
  readonly scope?: 'directory' | 'file';
  /** What this process does, shown in other processes' messages. */
  readonly label: string;
  /** Called from time to time while another process holds the lock: returns to try again, throws to give up. */
  readonly wait: (owner: LockOwner) => void;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly files?: Files;
}

/** The lock is no longer this process's: its file was removed, moved or replaced. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/**
 * The right to change one file, or all files of a directory: of all processes, in any container, on any machine that
 * shares the directory. It needs neither hard links nor sockets, and release leaves no file.
 *
 * Each process creates a lock file with a unique name, then lists the others: of two concurrent processes, at least
 * the later one sees the other. Names are never used twice, so any process can remove the lock of one that has ended.
 * On one machine the pid shows that. From elsewhere only keep-alives do, by any change of the file's time, so no two
 * clocks are compared.
 */
export class ProcessLock {
  readonly #rivals: Rivals;
  readonly #name: string;
  /** Kept open, so that no other file gets its inode number. */
  readonly #file: FileHandle;
  readonly #timer: NodeJS.Timeout;
  #renewedAt: number;
  #renewing: Promise<void> | undefined;
  #lost: LockLostError | undefined;

  private constructor(rivals: Rivals, name: string, file: FileHandle, renewedAt: number) {
    this.#rivals = rivals;
    this.#name = name;
    this.#file = file;
    this.#renewedAt = renewedAt;
    this.#timer = setInterval(() => this.verifyHeld().catch(() => {}), alive.every).unref();
  }

  /**
   * @throws what `wait` throws, the reason of the signal, and the system's error when the lock file cannot be created
   */
  static async acquire(target: string, request: LockRequest): Promise<ProcessLock> {
    const {files = nodeFiles, clock = systemClock, label, signal} = request;
    const self = await describeSelf(files);
    const locked = request.scope === 'directory' ? join(target, wholeDirectory) : target;
    const rivals = new Rivals(files, clock, self, locked);
    let before: readonly Rival[] = [];
    for (;;) {
      signal?.throwIfAborted();
      const others = await rivals.find();
      const lock = others.length === 0 ? await ProcessLock.#claim(rivals, label) : undefined;
      if (lock !== undefined) return lock;
      // A process that has just arrived backs off, as this one does; an owner stays.
      const owning = others.find(
        (other) => other.isRunning && before.some((earlier) => earlier.name === other.name),
      );
      if (owning !== undefined) request.wait(owning.owner);
      before = others;
      await rivals.pause(others, signal);
    }
  }

  /** @returns undefined to try again: there is another lock too, or the draft of this one was removed */
  static async #claim(rivals: Rivals, label: string): Promise<ProcessLock | undefined> {
    const startedAt = rivals.now();
    const created = await rivals.create(label);
    if (created === undefined) return undefined;
    const {name, file} = created;
    try {
      const others = await rivals.find(name);
      if (others.length === 0) return new ProcessLock(rivals, name, file, startedAt);
    } catch (error) {
      await rivals.discard(name, file);
      throw error;
    }
    await rivals.discard(name, file);
    return undefined;
  }

  /**
   * Whether the owner before was only silent: if its process was stopped, it may still finish the file call that it was
   * about to make.
   */
  get followsSilentOwner(): boolean {
    return this.#rivals.haveSilent;
  }

  /** Whether the lock is certainly still held. Without a keep-alive another process may take it. */
  get isFresh(): boolean {
    return this.#lost === undefined && this.#rivals.now() - this.#renewedAt < alive.loses;
  }

  /** Resolves while no other process can have the lock. @throws as `verifyHeld` */
  async requireHeld(): Promise<void> {
    if (!this.isFresh) await this.verifyHeld();
  }

  /**
   * Checks that the lock file is still in place, and renews it. After a long stop of this process another one may have
   * taken the lock; the directory may have been moved, or replaced by a backup.
   *
   * @throws LockLostError, for good; or the error of the check
   */
  verifyHeld(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    for (;;) {
      const startedAt = this.#rivals.now();
      await this.#requireInPlace();
      const wasFresh = this.isFresh;
      if (!(await this.#rivals.touch(this.#name))) continue;
      // After a silence one that watched all the time may be about to take the lock. It saw no change
      // before its own lock was there, so that one is listed now.
      const others = wasFresh ? [] : await this.#rivals.find(this.#name);
      if (!wasFresh) await this.#requireInPlace();
      if (others.length === 0) {
        this.#renewedAt = startedAt;
        return;
      }
      await this.#rivals.pause(others);
    }
  }

  async #requireInPlace(): Promise<void> {
    if (this.#lost === undefined && !(await this.#isInPlace())) {
      this.#lost = new LockLostError(`${this.#rivals.pathOf(this.#name)} is no longer in place`);
      clearInterval(this.#timer);
    }
    if (this.#lost !== undefined) throw this.#lost;
  }

  async #isInPlace(): Promise<boolean> {
    try {
      const [own, found] = await Promise.all([this.#file.stat(), this.#rivals.stat(this.#name)]);
      return own.ino === found.ino && own.dev === found.dev;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  /** Never fails: a lock file that remains is removed by others once this process has ended. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing?.catch(() => {});
    const isInPlace = await this.#isInPlace().catch(() => false);
    if (isInPlace) await this.#rivals.remove(this.#name).catch(() => {});
    await this.#file.close().catch(() => {});
  }
}
