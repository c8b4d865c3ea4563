import {setTimeout as sleep} from 'node:timers/promises';
import type {StoreLog} from '../store.js';
import {fileError, inDirectory, names} from './files.js';
import {LogFile} from './log.js';
import {encodeHeader, type HeaderFields, type ReadContext} from './read.js';
import type {State} from './state.js';
import type {StoreFile} from './store-file.js';
import type {Writer} from './writer.js';

/**
 * A file is compacted when it has grown by this part of its size after the last compaction. A start reads up to four
 * heartbeats per connector then, which take longer than the connectors if they are more.
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

/** Records per line. Longer lines load faster at start; shorter ones are easier to read, also with `jq`. */
const recordsPerLine = 64;

/** Bytes written at a time: half a millisecond's work, so that requests get their turn. */
const chunkBytes = 64 * 1024;

/** Bytes between syncs. A single one at the end would keep the disk busy for a second, and other syncs waiting. */
const syncBytes = 4 * 1024 * 1024;

/** What was appended meanwhile is copied during traffic until so little is left, in bytes. */
const restBytes = 256 * 1024;

/** What a compactor works on. */
interface CompactorContext extends ReadContext {
  readonly state: State;
  readonly writer: Writer;
  readonly file: StoreFile;
  readonly log: StoreLog;
  readonly now: () => number;
  /** The first line of the file. */
  readonly header: HeaderFields;
}

/**
 * Replaces the file by one without what was overwritten, when it has grown, while the store is in use:
 *
 * 1. the state is written to a file beside it; it may or may not contain what is written meanwhile, which is also
 *    appended to the file in use, and was acknowledged from there;
 * 2. what was appended meanwhile is copied behind it: applied once more, it changes nothing;
 * 3. between two batches the rest is copied, all is synced, the file is renamed, and the directory is synced.
 *
 * A crash before the rename leaves the file in use; after it, one with all that was acknowledged.
 */
export class Compactor {
  readonly #context: CompactorContext;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #compactBytes: number;
  /** Length of the file from which on the next compaction is due. */
  #dueLength: number;
  /** The removals at the start of the last attempt. */
  #lastRemovals = 0;

  /** @param compactBytes bytes that the last compaction has written; 0 before the first one */
  constructor(context: CompactorContext, compactBytes: number) {
    this.#context = context;
    this.#compactBytes = compactBytes;
    this.#dueLength = this.#dueAfter(compactBytes);
  }

  #dueAfter(length: number): number {
    return length + Math.max(this.#compactBytes * growth, minimumGrowth);
  }

  /**
   * Starts a compaction if one is due and none is running. After a removal it is due at once, so that nothing of the
   * connectors stays on disk. Logs a failure.
   */
  compactIfDue(): void {
    const {file, writer, log, directory, state} = this.#context;
    if (this.#running !== undefined || this.#stop.signal.aborted) return;
    if (writer.failure !== undefined) return;
    if (file.log.length < this.#dueLength && state.removals === this.#lastRemovals) return;
    this.compact(pauseFactorInTraffic).catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      // The file only stays larger. The next attempt is due after as much has been written again.
      log.warn({err: error, directory}, 'compaction failed');
    });
  }

  /**
   * Compacts now, or after a running compaction.
   *
   * @param pauseFactor pause after each chunk, as a multiple of the time that it took
   * @throws StoreError when it fails; nothing is lost then
   */
  async compact(pauseFactor = 0): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    this.#running = this.#compact(pauseFactor);
    try {
      await this.#running;
    } catch (error) {
      throw fileError(`${this.#context.directory} cannot be compacted`, error);
    } finally {
      this.#running = undefined;
    }
  }

  async #compact(pauseFactor: number): Promise<void> {
    const {files, directory, state, writer, file, log, now, header} = this.#context;
    const startedAt = now();
    this.#lastRemovals = state.removals;
    // Between two batches the state has all that is in the file.
    let copied = await writer.pause(async () => file.log.length);
    this.#dueLength = this.#dueAfter(copied);
    const draft = await LogFile.create(files, inDirectory(directory, names.draft));
    try {
      const chunks = encode(header, state, startedAt);
      await this.#paced(draft, pauseFactor, async () => {
        const next = chunks.next();
        if (next.done) return false;
        await draft.append(next.value);
        return true;
      });
      const compactBytes = draft.length;
      await this.#paced(draft, pauseFactor, async () => {
        if (file.log.length - copied < restBytes) return false;
        copied = await draft.appendFrom(file.log, copied);
        return true;
      });
      await draft.sync();
      await writer.pause(async () => {
        while (copied < file.log.length) copied = await draft.appendFrom(file.log, copied);
        await draft.sync();
        await file.replace(draft);
      });
      this.#compactBytes = compactBytes;
      this.#dueLength = this.#dueAfter(compactBytes);
      const milliseconds = now() - startedAt;
      log.debug({directory, bytes: compactBytes, milliseconds}, 'store compacted');
    } catch (error) {
      if (file.log !== draft) {
        await draft.close();
        await files.rm(draft.path, {force: true});
      }
      throw error;
    }
  }

  /** Repeats a step until it returns false, with pauses for other work and syncs in between. */
  async #paced(draft: LogFile, pauseFactor: number, step: () => Promise<boolean>): Promise<void> {
    const {signal} = this.#stop;
    for (;;) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      if (!(await step())) return;
      const worked = performance.now() - startedAt;
      if (pauseFactor > 0) await sleep(worked * pauseFactor, undefined, {signal});
      if (draft.unsynced >= syncBytes) await draft.sync();
    }
  }

  /** Abandons a running compaction; no other starts. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running?.catch(() => {});
  }
}

/** The lines of a compact file, in chunks. */
function* encode(
  header: HeaderFields,
  state: State,
  now: number,
): Generator<readonly string[], void> {
  let lines = [encodeHeader(header)];
  let size = 0;
  let member = '';
  let line: string[] = [];
  const endLine = (): void => {
    if (line.length > 0) lines.push(`"${member}":[${line.join(',')}]`);
    line = [];
  };
  for (const [kind, record] of state.records(now)) {
    if (kind !== member || line.length === recordsPerLine) endLine();
    member = kind;
    const text = JSON.stringify(record);
    line.push(text);
    size += text.length;
    if (size < chunkBytes) continue;
    yield lines;
    lines = [];
    size = 0;
  }
  endLine();
  yield [...lines, '"compact":true'];
}
