import type {StoreLog} from '../../store.js';
import {type Files, fileError} from '../files.js';
import type {StoreLock} from '../lock/acquire.js';
import type {State} from '../state/contents.js';
import {removeLeftovers} from './cleanup.js';
import {writeSnapshot} from './snapshot.js';
import type {Journal} from './writer.js';

/**
 * The journal may grow to this part of the snapshot before a new snapshot replaces both. At the
 * worst moment, the end of a compaction, there are two snapshots and one such journal on the disk:
 * less than three times what the records need. Each byte of journal costs two of snapshot, later;
 * and a start reads up to four heartbeats for each connector.
 */
const journalShare = 0.5;

/**
 * Beside the traffic a compaction works a fifth of the time. Faster, and a service that is half busy
 * would fall behind: it takes as much processor time as a hundred thousand heartbeats for each
 * million connectors.
 */
const restBesideTraffic = 4;

/** A journal smaller than this many bytes is left alone: it costs nothing to read. */
const smallestJournal = 256 * 1024;

/** What a compactor works on. */
export interface CompactorContext {
  readonly files: Files;
  readonly directory: string;
  readonly state: State;
  readonly journal: Journal;
  readonly lock: StoreLock;
  readonly log: StoreLog;
  readonly now: () => number;
  /** Length of the newest snapshot in bytes, 0 without one. */
  readonly snapshotBytes: number;
}

/**
 * Replaces snapshot and journal by a new snapshot when the journal has grown, beside the traffic.
 * After a crash at any step the files still say all that was committed:
 *
 * 1. the journal goes on in a new segment N;
 * 2. the state is written to `snapshot-N.jsonl.tmp` and synced; what is committed meanwhile may be in
 *    it or not, and is in segment N in any case;
 * 3. it is renamed to `snapshot-N.jsonl`: from here on it counts;
 * 4. older snapshots and segments are removed.
 */
export class Compactor {
  readonly #context: CompactorContext;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #snapshotBytes: number;
  /** What `journal.bytes` was when the newest snapshot began. */
  #journalStart = 0;
  /** The same when compaction was last tried. */
  #lastTry = 0;

  constructor(context: CompactorContext) {
    this.#context = context;
    this.#snapshotBytes = context.snapshotBytes;
  }

  /** What snapshot and journal take on disk, in bytes. */
  get bytes(): number {
    return this.#snapshotBytes + this.#context.journal.bytes - this.#journalStart;
  }

  /** Starts a compaction if one is due and none is running. A failure is told in the log. */
  consider(): void {
    const {journal, log, directory} = this.#context;
    if (this.#running !== undefined || this.#stop.signal.aborted || journal.failure) return;
    const due = Math.max(this.#snapshotBytes * journalShare, smallestJournal);
    if (journal.bytes - Math.max(this.#journalStart, this.#lastTry) < due) return;
    this.compact(restBesideTraffic).catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      // Nothing is lost, the files only stay larger. The next try is due when as much has come again.
      log.warn({err: error, directory}, 'compaction failed');
    });
  }

  /**
   * Compacts now, after a compaction that is running.
   *
   * @param restShare how many times as long as it works it rests in between; see `Writing`
   * @throws StoreError when it fails; nothing is lost then
   */
  async compact(restShare = 0): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    const running = this.#compact(restShare)
      .catch((error: unknown) => {
        throw fileError(`${this.#context.directory} cannot be compacted`, error);
      })
      .finally(() => {
        this.#running = undefined;
      });
    this.#running = running;
    await running;
  }

  async #compact(restShare: number): Promise<void> {
    const {files, directory, state, journal, lock, log, now} = this.#context;
    await lock.verifyHeld();
    const startedAt = now();
    const journalStart = journal.bytes;
    this.#lastTry = journalStart;
    const start = await journal.rotate();
    const bytes = await writeSnapshot(files, directory, start, state.snapshot(startedAt), {
      signal: this.#stop.signal,
      restShare,
    });
    this.#snapshotBytes = bytes;
    this.#journalStart = journalStart;
    await removeLeftovers(files, directory, start.segment);
    log.debug({directory, bytes, milliseconds: now() - startedAt}, 'store compacted');
  }

  /** Abandons a compaction that is running; no other starts. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running?.catch(() => {});
  }
}
