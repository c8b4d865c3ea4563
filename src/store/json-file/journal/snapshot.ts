import type {FileHandle} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Files} from '../../../system/files.js';
import {syncDirectory} from '../../../system/sync-directory.js';
import {modes} from '../files.js';
import {inDirectory, names} from '../format/layout.js';
import {encodeLine} from '../format/lines.js';
import type {StoreRecord} from '../format/records.js';
import {formatVersion} from '../format/upgrades.js';

/** Records per line. Longer lines load faster at start; shorter ones are easier to read, also with `jq`. */
const recordsPerLine = 64;

/** Bytes encoded and written at a time: half a millisecond's work, so that requests get their turn. */
const chunkBytes = 64 * 1024;

/**
 * Bytes between syncs. A single sync at the end would keep the disk busy for a second, and the syncs of
 * the journal waiting.
 */
const syncBytes = 4 * 1024 * 1024;

/** Where the journal continues after a snapshot; see `SnapshotHeader`. */
interface SnapshotStart {
  readonly segment: number;
  readonly chain: number;
}

/** The lines of a snapshot, in chunks. */
function* encodeSnapshot(
  {segment, chain}: SnapshotStart,
  records: Iterable<StoreRecord>,
): Generator<Buffer> {
  let previous = 0;
  let count = 0;
  let size = 0;
  let chunk: Buffer[] = [];
  let line: string[] = [];
  const add = (members: string): void => {
    const {bytes, crc} = encodeLine(members, previous);
    chunk.push(bytes);
    size += bytes.length;
    previous = crc;
  };
  const endLine = (): void => {
    if (line.length > 0) add(`"records":[${line.join(',')}]`);
    line = [];
  };
  add(`"type":"snapshot","version":${formatVersion},"segment":${segment},"chain":${chain}`);
  for (const record of records) {
    count += 1;
    line.push(JSON.stringify(record));
    if (line.length === recordsPerLine) endLine();
    if (size >= chunkBytes) {
      yield Buffer.concat(chunk);
      chunk = [];
      size = 0;
    }
  }
  endLine();
  add(`"type":"end","count":${count}`);
  yield Buffer.concat(chunk);
}

/** How to write a snapshot. */
export interface SnapshotOptions {
  /** Abandons the snapshot. */
  readonly signal: AbortSignal;
  /** Pause after each chunk, as a multiple of the time that the chunk took. 0: none. */
  readonly pauseFactor: number;
}

async function writeChunks(
  handle: FileHandle,
  chunks: Iterable<Buffer>,
  {signal, pauseFactor}: SnapshotOptions,
): Promise<number> {
  let length = 0;
  let synced = 0;
  let startedAt = performance.now();
  for (const chunk of chunks) {
    signal.throwIfAborted();
    const worked = performance.now() - startedAt;
    await handle.writeFile(chunk);
    length += chunk.length;
    if (pauseFactor > 0) await sleep(worked * pauseFactor, undefined, {signal});
    if (length - synced >= syncBytes) {
      await handle.datasync();
      synced = length;
    }
    startedAt = performance.now();
  }
  await handle.sync();
  return length;
}

/**
 * Writes a snapshot during traffic and renames it into place.
 *
 * @returns its length in bytes
 * @throws the error of a file call, or an AbortError; no file is left then
 */
export async function writeSnapshot(
  files: Files,
  directory: string,
  start: SnapshotStart,
  records: Iterable<StoreRecord>,
  options: SnapshotOptions,
): Promise<number> {
  const target = inDirectory(directory, names.snapshot(start.segment));
  const temporary = names.temporary(target);
  try {
    const handle = await files.open(temporary, 'wx', modes.file);
    let length: number;
    try {
      length = await writeChunks(handle, encodeSnapshot(start, records), options);
    } finally {
      await handle.close();
    }
    await files.rename(temporary, target);
    await syncDirectory(files, directory);
    return length;
  } catch (error) {
    await files.rm(temporary, {force: true});
    throw error;
  }
}
