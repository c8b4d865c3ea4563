import type {FileHandle} from 'node:fs/promises';
import {setTimeout as rest} from 'node:timers/promises';
import {syncDirectory} from '../../../sync-directory.js';
import {type Files, modes} from '../files.js';
import {formatVersion, inDirectory, names} from '../format/layout.js';
import {encodeLine} from '../format/lines.js';
import type {StoreRecord} from '../format/records.js';

/** Records in one line. More cost less to read at start; fewer are easier on the eye and on `jq`. */
const recordsPerLine = 64;

/** Bytes made and written at a time: half a millisecond's work, so that requests get their turn. */
const chunkBytes = 64 * 1024;

/**
 * Bytes between syncs. One sync of it all at the end would keep the disk busy for a second, and the
 * journal's syncs waiting.
 */
const syncBytes = 4 * 1024 * 1024;

/** What a snapshot stands for; see `SnapshotHeader`. */
export interface SnapshotStart {
  readonly segment: number;
  readonly chain: number;
}

/** The text of a snapshot, line by line, in chunks. */
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

/** How a snapshot is written. */
export interface Writing {
  /** Abandons it. */
  readonly signal: AbortSignal;
  /** How many times as long as the work on a chunk took is rested after it, for requests to be served. */
  readonly restShare: number;
}

async function writeChunks(
  handle: FileHandle,
  chunks: Iterable<Buffer>,
  {signal, restShare}: Writing,
): Promise<number> {
  let length = 0;
  let synced = 0;
  let begun = performance.now();
  for (const chunk of chunks) {
    signal.throwIfAborted();
    const worked = performance.now() - begun;
    await handle.writeFile(chunk);
    length += chunk.length;
    if (restShare > 0) await rest(worked * restShare, undefined, {signal});
    if (length - synced >= syncBytes) {
      await handle.datasync();
      synced = length;
    }
    begun = performance.now();
  }
  await handle.sync();
  return length;
}

/**
 * Writes a snapshot beside the traffic and puts it in place as one.
 *
 * @returns its length in bytes
 * @throws whatever a file call throws, or an error when it is abandoned; nothing is left behind then
 */
export async function writeSnapshot(
  files: Files,
  directory: string,
  start: SnapshotStart,
  records: Iterable<StoreRecord>,
  writing: Writing,
): Promise<number> {
  const target = inDirectory(directory, names.snapshot(start.segment));
  const temporary = names.temporary(target);
  try {
    const handle = await files.open(temporary, 'wx', modes.file);
    let length: number;
    try {
      length = await writeChunks(handle, encodeSnapshot(start, records), writing);
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
