import type {Files} from '../../../system/files.js';
import type {StoreLog} from '../../store.js';
import {fileError} from '../files.js';
import {inDirectory, isTemporary, names, numbersOf} from '../format/layout.js';
import type {StoreLock} from '../lock/store-lock.js';
import type {State} from '../state/contents.js';
import {writeSnapshot} from './snapshot.js';
import type {Journal} from './writer.js';

/**
 * The journal may grow to this fraction of the snapshot before a new snapshot replaces both. Disk use peaks at
 * the end of a compaction with two snapshots and one such journal, less than three times the size of the records.
 * For each byte of the journal, a compaction writes two bytes of a snapshot, and a start reads up to four
 * heartbeats per connector.
 */
const journalFraction = 0.5;

/**
 * During traffic a compaction works a fifth of the time: it pauses this many times as long as it
 * works. If it worked more, a half-busy service would fall behind, because a compaction of a million
 * connectors takes as much CPU time as a hundred thousand heartbeats.
 */
const pauseFactorInTraffic = 4;

/** Bytes on disk of a token that memory does not hold any more, approximately. */
const bytesPerToken = 250;

/** A journal of fewer bytes is not compacted, because reading it costs next to nothing. */
const minimumJournalBytes = 256 * 1024;

/** What a compactor works on. */
interface CompactorContext {
  readonly files: Files;
  readonly directory: string;
  readonly state: State;
  readonly journal: Journal;
  readonly lock: StoreLock;
  readonly log: StoreLog;
  readonly now: () => number;
  /** Called when a compaction during traffic has failed. */
  readonly onFailed?: (() => void) | undefined;
  /** Size of the newest snapshot in bytes, 0 without one. */
  readonly snapshotBytes: number;
}

/**
 * Replaces snapshot and journal by a new snapshot when the journal has grown, during traffic. After a
 * crash at any step the files still hold all that was committed:
 *
 * 1. the journal continues in a new segment N;
 * 2. the state is written to `snapshot-N.jsonl.tmp` and synced; it may or may not contain what is
 *    committed meanwhile, which is in segment N in any case;
 * 3. it is renamed to `snapshot-N.jsonl`, which makes it valid;
 * 4. older snapshots and segments are removed.
 */
export class Compactor {
  readonly #context: CompactorContext;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #snapshotBytes: number;
  /** `journal.bytes` at the start of the newest snapshot. */
  #journalStart = 0;
  /** `journal.bytes` at the start of the last attempt. */
  #lastAttempt = 0;
  /** The removed connectors at the start of the last attempt. */
  #lastRemoved = 0;

  constructor(context: CompactorContext) {
    this.#context = context;
    this.#snapshotBytes = context.snapshotBytes;
  }

  /** Size of snapshot and journal on disk, in bytes. */
  get bytes(): number {
    return this.#snapshotBytes + this.#context.journal.bytes - this.#journalStart;
  }

  /**
   * Removes expired tokens from memory, and starts a compaction if one is due and none is running. After a removal
   * it is due at once, so that nothing of the connectors stays on disk. Logs a failure.
   */
  compactIfDue(): void {
    const {journal, log, directory, state, now} = this.#context;
    state.tokens.removeExpired(now());
    if (this.#running !== undefined || this.#stop.signal.aborted || journal.failure) return;
    const due = Math.max(this.#snapshotBytes * journalFraction, minimumJournalBytes);
    const grown = journal.bytes - Math.max(this.#journalStart, this.#lastAttempt);
    const hasGrown = grown + state.tokens.removed * bytesPerToken >= due;
    if (!hasGrown && state.connectors.removed === this.#lastRemoved) return;
    this.compact(pauseFactorInTraffic).catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      this.#context.onFailed?.();
      // The files only stay larger. The next attempt is due after as much has been written again.
      log.warn({err: error, directory}, 'compaction failed');
    });
  }

  /**
   * Compacts now, or after a running compaction.
   *
   * @param pauseFactor see `SnapshotOptions`
   * @throws StoreError when it fails; nothing is lost then
   */
  async compact(pauseFactor = 0): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    const running = this.#compact(pauseFactor)
      .catch((error: unknown) => {
        throw fileError(`${this.#context.directory} cannot be compacted`, error);
      })
      .finally(() => {
        this.#running = undefined;
      });
    this.#running = running;
    await running;
  }

  async #compact(pauseFactor: number): Promise<void> {
    const {files, directory, state, journal, lock, log, now} = this.#context;
    await lock.verifyHeld();
    const startedAt = now();
    const journalStart = journal.bytes;
    this.#lastAttempt = journalStart;
    this.#lastRemoved = state.connectors.removed;
    const start = await journal.rotate();
    const bytes = await writeSnapshot(files, directory, start, state.snapshot(startedAt), {
      signal: this.#stop.signal,
      pauseFactor,
    });
    this.#snapshotBytes = bytes;
    this.#journalStart = journalStart;
    await removeLeftovers(files, directory, start.segment);
    log.debug({directory, bytes, milliseconds: now() - startedAt}, 'store compacted');
  }

  /** Abandons a running compaction; no other starts. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running?.catch(() => {});
  }
}

/** Removes the leftovers of crashes: unfinished files, and files older than the snapshot `first`. */
export async function removeLeftovers(
  files: Files,
  directory: string,
  first: number,
): Promise<void> {
  const listing = await files.readdir(directory);
  const before = (number: number): boolean => number < first;
  for (const name of listing.filter(isTemporary)) {
    // Only an unfinished backup is a directory.
    const recursive = name !== names.temporary(names.store) && !name.startsWith('snapshot-');
    await files.rm(inDirectory(directory, name), {recursive, force: true});
  }
  const leftovers = [
    ...numbersOf('snapshot', listing).filter(before).map(names.snapshot),
    ...numbersOf('journal', listing).filter(before).map(names.journal),
  ];
  for (const name of leftovers) await files.rm(inDirectory(directory, name), {force: true});
}
