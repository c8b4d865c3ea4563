import {randomBytes} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import type {Files} from '../../../system/files.js';
import type {StoreError} from '../../store.js';
import {fileError, modes} from '../files.js';
import {inDirectory, names} from '../format/layout.js';
import type {Change} from './changes.js';
import {BrokenJournalError, Segment} from './segment.js';

/** Free bytes that a full disk needs before the store is ready again: a batch of some hundred records. */
const roomBytes = 64 * 1024;

/** A change that waits to be written. */
interface Commit {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Called by the journal. */
interface JournalEvents {
  /** Called around each write. @throws when another process may have taken the store */
  readonly requireHeld: () => Promise<void>;
  /** A batch was written and synced. @param seconds how long that took */
  readonly synced: (seconds: number) => void;
  /** A batch is done: its changes are applied and their commits resolved. */
  readonly settled: () => void;
}

/**
 * The journal. A commit is written and synced before it resolves. Commits that arrive during a write
 * share the next line, with one write and one sync.
 */
export class Journal {
  readonly #files: Files;
  readonly #directory: string;
  readonly #events: JournalEvents;
  #segment: Segment;
  #waiting: Commit[] = [];
  #running: Promise<void> | undefined;
  #probing: Promise<void> | undefined;
  #switch: (() => void) | undefined;
  #failure: StoreError | undefined;
  #bytes: number;

  /** @param bytes the length of all segments so far */
  constructor(
    files: Files,
    directory: string,
    segment: Segment,
    bytes: number,
    events: JournalEvents,
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#segment = segment;
    this.#bytes = bytes;
    this.#events = events;
  }

  /** Bytes in all segments, including removed ones. Never shrinks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The reason for refusing writes: until the next one that succeeds, or for good (`BrokenJournalError`). */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /**
   * Writes and applies a change atomically.
   *
   * @throws StoreError when it is not on disk; nothing is applied then
   */
  commit(change: Change): Promise<void> {
    return this.#commit(change, (commit) => this.#waiting.push(commit));
  }

  /** Commits a change before those that wait, so that it sees all changes that come before it. */
  commitFirst(change: Change): Promise<void> {
    return this.#commit(change, (commit) => this.#waiting.unshift(commit));
  }

  #commit(change: Change, enqueue: (commit: Commit) => void): Promise<void> {
    if (this.#failure instanceof BrokenJournalError) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      enqueue({change, resolve, reject});
      this.#running ??= this.#run();
    });
  }

  /**
   * Checks that there is room for more than one record: a small one may fit into the last block of a
   * disk that is otherwise full.
   *
   * @throws StoreError when there is no room, or when the journal is broken
   */
  checkRoom(): Promise<void> {
    if (this.#failure instanceof BrokenJournalError) return Promise.reject(this.#failure);
    // Concurrent callers share one probe.
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    const probe = inDirectory(this.#directory, names.temporary('journal-room'));
    try {
      const handle = await this.#files.open(probe, 'w', modes.file);
      try {
        await handle.writeFile(randomBytes(roomBytes));
        await handle.sync();
      } finally {
        await handle.close();
        await this.#files.rm(probe, {force: true});
      }
    } catch (error) {
      throw fileError('writing is not possible yet', error);
    }
  }

  /** Writes the waiting commits, batch after batch. */
  async #run(): Promise<void> {
    // Commits from the same turn of the event loop join the first batch.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#write(batch);
      this.#switchSegment();
      this.#events.settled();
    }
    this.#running = undefined;
  }

  async #write(batch: readonly Commit[]): Promise<void> {
    try {
      if (this.#failure instanceof BrokenJournalError) throw this.#failure;
      await this.#events.requireHeld();
      const before = this.#segment.length;
      const startedAt = performance.now();
      await this.#segment.append(batch.flatMap(({change}) => change.records()));
      this.#events.synced((performance.now() - startedAt) / 1000);
      this.#bytes += this.#segment.length - before;
      // After a long stop in the middle of the write another process may not have read it.
      await this.#events.requireHeld().catch((error: unknown) => {
        throw new BrokenJournalError(this.#directory, 'checking the lock', error);
      });
      this.#failure = undefined;
    } catch (error) {
      this.#failure = fileError('writing the journal failed', error);
      for (const commit of batch) commit.reject(this.#failure);
      return;
    }
    for (const commit of batch) {
      commit.change.apply();
      commit.resolve();
    }
  }

  /**
   * Continues the journal in a new segment. When it resolves, all records of the earlier segments are
   * committed and applied.
   */
  async rotate(): Promise<{readonly segment: number; readonly chain: number}> {
    if (this.#running === undefined && this.#segment.length === 0) {
      return {segment: this.#segment.number, chain: this.#segment.chain};
    }
    const end = {length: 0, chain: 0};
    const next = await Segment.open(this.#files, this.#directory, this.#segment.number + 1, end);
    const previous = await new Promise<Segment>((resolve) => {
      this.#switch = () => {
        const old = this.#segment;
        next.continue(old);
        this.#segment = next;
        resolve(old);
      };
      if (this.#running === undefined) this.#switchSegment();
    });
    const {chain} = previous;
    await previous.close();
    return {segment: next.number, chain};
  }

  #switchSegment(): void {
    this.#switch?.();
    this.#switch = undefined;
  }

  /** Writes the waiting commits and closes the file. */
  async close(): Promise<void> {
    await this.#running;
    await this.#probing?.catch(() => {});
    await this.#segment.close();
  }
}
