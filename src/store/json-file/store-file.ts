import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {syncDirectory} from '../../system/durable-file.js';
import {LockLostError, type ProcessLock} from '../../system/process-lock.js';
import {StoreError, type StoreOptions} from '../store.js';
import {fileError, names} from './directory.js';
import {BrokenFileError, LogFile} from './log.js';
import {encodeHeader, type HeaderFields, type ReadContext} from './read.js';
import {type Line, membersOf, type State} from './state.js';
import type {Disk} from './writer.js';

/**
 * A file is compacted when it has grown by this fraction of its size after the last compaction. A start then usually
 * reads at most four heartbeats per connector; reading more would take longer than reading the connectors.
 */
const growth = 0.5;

/** A file that has grown by fewer bytes is not compacted, because reading it costs next to nothing. */
const minimumGrowth = 256 * 1024;

/**
 * During traffic a compaction works a fifth of the time: it pauses this many times as long as it works. If it worked
 * more, a half-busy service would fall behind, because a compaction of a million connectors takes as much CPU time as
 * a hundred thousand heartbeats.
 */
const pauseFactorInTraffic = 4;

/** Bytes between syncs. A single sync at the end would keep the disk busy for a second, and delay other syncs. */
const syncBytes = 4 * 1024 * 1024;

/** The dependencies of the file of a store in use. */
interface StoreFileContext extends ReadContext {
  readonly lock: ProcessLock;
  readonly state: State;
  /** The first line of the file. */
  readonly header: HeaderFields;
  readonly options: StoreOptions;
  /** Runs work between two writes. If the work throws `BrokenFileError`, nothing is written from then on. */
  readonly pause: (work: () => Promise<void>) => Promise<void>;
}

/**
 * The file of a store in use. When it has grown, it is replaced by one without overwritten records, while the store is
 * in use:
 *
 * 1. the state is written to a draft beside it, line by line; changes in the meantime are acknowledged once they are in
 * the file in use, and are then appended to the draft too;
 * 2. between two batches the draft is synced and renamed, and then the directory is synced.
 *
 * A crash before the rename leaves the old file, and a crash after it the new one; both have every acknowledged change.
 */
export class StoreFile implements Disk {
  readonly #context: StoreFileContext;
  readonly #stop = new AbortController();
  #log: LogFile;
  #compacting: Promise<void> | undefined;
  /** Lines applied during a compaction that are not in the draft yet; undefined when no draft collects them. */
  #meanwhile: Line[] | undefined;
  #compactBytes: number;
  /** Length of the file at which the next compaction is due. */
  #dueLength: number;
  /** `State.removals` at the start of the last compaction. */
  #lastRemovals = 0;

  /** @param compactBytes bytes that the last compaction has written; 0 before the first one */
  constructor(context: StoreFileContext, log: LogFile, compactBytes: number) {
    this.#context = context;
    this.#log = log;
    this.#compactBytes = compactBytes;
    this.#dueLength = this.#dueAfter(compactBytes);
  }

  get length(): number {
    return this.#log.length;
  }

  /**
   * Checks that the lock file is still in place. If the directory was moved, removed or replaced, perhaps by a backup,
   * writes would go to files that are never read again or that belong to another store.
   *
   * @throws StoreError: `unavailable` when the lock is lost, now and at each later call; as `fileError` when the
   *   check fails
   */
  async verifyLock(): Promise<void> {
    const {lock, directory} = this.#context;
    await lock.verifyHeld().catch((cause: unknown) => {
      if (!(cause instanceof LockLostError))
        throw fileError(`the lock of ${directory} cannot be checked`, cause);
      const message = `${directory} was moved, removed or replaced while the store was in use, or another process took it over while this one was stopped. The store refuses further writes: check the directory, then restart.`;
      throw new StoreError('unavailable', message, {cause});
    });
  }

  async append(line: Line): Promise<void> {
    await this.verifyLock();
    const startedAt = performance.now();
    await this.#log.append([membersOf(line)]);
    await this.#log.sync();
    this.#context.options.onWrite?.((performance.now() - startedAt) / 1000);
    // If this process was suspended during the write, another one may have taken the lock without reading this line.
    await this.verifyLock().catch((error: unknown) => {
      throw new BrokenFileError(this.#context.directory, 'checking the lock', error);
    });
  }

  /** Starts a compaction if one is due and none is running. Logs a failure. */
  applied(line: Line): void {
    const {directory, state, options} = this.#context;
    this.#meanwhile?.push(line);
    if (this.#compacting !== undefined || this.#stop.signal.aborted) return;
    // After a removal it compacts at once: of a removed connector, only its id may stay on disk.
    if (this.length < this.#dueLength && state.removals === this.#lastRemovals) return;
    this.compact(pauseFactorInTraffic).catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      // Nothing is lost: the file stays larger until the next attempt, which is due after it has grown as much again.
      options.log.warn({err: error, directory}, 'compaction failed');
    });
  }

  #dueAfter(length: number): number {
    return length + Math.max(this.#compactBytes * growth, minimumGrowth);
  }

  /**
   * Compacts now, or after a running compaction.
   *
   * @param pauseFactor pause after each line, as a multiple of the time that the line took
   * @throws StoreError when it fails; nothing is lost then
   */
  async compact(pauseFactor = 0): Promise<void> {
    while (this.#compacting !== undefined) await this.#compacting.catch(() => {});
    this.#compacting = this.#compact(pauseFactor);
    try {
      await this.#compacting;
    } catch (error) {
      throw fileError(`${this.#context.directory} cannot be compacted`, error);
    } finally {
      this.#compacting = undefined;
    }
  }

  async #compact(pauseFactor: number): Promise<void> {
    const {files, directory, state, options, pause} = this.#context;
    const startedAt = options.now();
    this.#lastRemovals = state.removals;
    this.#dueLength = this.#dueAfter(this.length);
    const draft = await LogFile.create(files, path.join(directory, names.draft));
    try {
      await this.#writeState(draft, pauseFactor);
      this.#compactBytes = draft.length;
      await pause(async () => {
        await this.#copyMeanwhile(draft);
        await draft.reopen(files);
        await this.#replaceBy(draft);
      });
      const bytes = this.#compactBytes;
      this.#dueLength = this.#dueAfter(bytes);
      const milliseconds = options.now() - startedAt;
      options.log.debug({directory, bytes, milliseconds}, 'store compacted');
    } catch (error) {
      if (this.#log !== draft) {
        await draft.close();
        await files.rm(draft.path, {force: true});
      }
      throw error;
    } finally {
      this.#meanwhile = undefined;
    }
  }

  async #writeState(draft: LogFile, pauseFactor: number): Promise<void> {
    const {state, header, options} = this.#context;
    const {signal} = this.#stop;
    await draft.append([encodeHeader(header)]);
    this.#meanwhile = [];
    let startedAt = performance.now();
    for (const line of state.lines(options.now())) {
      signal.throwIfAborted();
      await draft.append([membersOf(line)]);
      await this.#copyMeanwhile(draft);
      const worked = performance.now() - startedAt;
      if (pauseFactor > 0) await sleep(worked * pauseFactor, undefined, {signal});
      if (draft.unsynced >= syncBytes) await draft.sync();
      startedAt = performance.now();
    }
    await draft.sync();
  }

  async #copyMeanwhile(draft: LogFile): Promise<void> {
    const lines = this.#meanwhile?.splice(0) ?? [];
    await draft.append(lines.map(membersOf));
  }

  /** Replaces the file with a synced draft. */
  async #replaceBy(draft: LogFile): Promise<void> {
    const {files, directory} = this.#context;
    const target = path.join(directory, names.store);
    await this.verifyLock();
    await files.rename(draft.path, target);
    const previous = this.#log;
    this.#log = draft;
    draft.path = target;
    try {
      await syncDirectory(files, directory);
    } catch (error) {
      // It is unknown which of the two files a restart will read.
      throw new BrokenFileError(directory, 'fsync', error);
    } finally {
      await previous.close();
    }
  }

  /** Abandons a running compaction, closes the file and releases the lock. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#compacting?.catch(() => {});
    try {
      await this.#log.close();
      await this.verifyLock();
    } finally {
      await this.#context.lock.release();
    }
  }
}
