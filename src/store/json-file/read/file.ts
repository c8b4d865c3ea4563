import type * as z from 'zod/mini';
import {errorMessage} from '../../../system/error-codes.js';
import type {Files} from '../../../system/files.js';
import type {HeapLimits} from '../../../system/heap.js';
import {StoreError} from '../../store.js';
import {inDirectory} from '../format/layout.js';
import {decodeLine, type LinePlace, scanLines} from '../format/lines.js';
import {isRecordsLine, RecordsLine, type StoreRecord} from '../format/records.js';
import type {Upgrades} from '../format/upgrades.js';
import {formatVersion} from '../format/upgrades.js';

/** What reading a store needs. */
export interface ReadContext {
  readonly files: Files;
  readonly directory: string;
  readonly upgrades: Upgrades;
  readonly heap: HeapLimits;
}

/** An error for damage that needs an operator, with file and line. */
export function damagedFile(path: string, line: number | undefined, reason: string): StoreError {
  const place = line === undefined ? path : `${path}, line ${line}`;
  return new StoreError(
    'damaged',
    `${place}: ${reason}. The store was not opened and nothing was changed; restore it from a backup.`,
  );
}

/** A line whose checksum is right, but whose content this build does not know. */
export class UnknownContent extends Error {
  override readonly name = 'UnknownContent';
}

/** The error for a line that cannot be read, by its reason: damage, or another build's content. */
export function lineError(path: string, line: number, reason: unknown): StoreError {
  if (reason instanceof StoreError) return reason;
  if (!(reason instanceof UnknownContent)) return damagedFile(path, line, errorMessage(reason));
  return new StoreError(
    'format',
    `${path}, line ${line}: this build does not know its content, although its checksum is right: another build of connectorctl wrote it. The store was not opened and nothing was changed; use that build.`,
  );
}

/** Parses the content of a line by its schema. @throws UnknownContent */
export function parseLine<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new UnknownContent();
  return result.data;
}

/** The records of a line in a version of the format, upgraded to the current one. */
export function readRecords(
  value: object,
  version: number,
  upgrades: Upgrades,
): readonly StoreRecord[] {
  if (version === formatVersion && isRecordsLine(value)) return value.records;
  if (!('records' in value) || !Array.isArray(value.records)) {
    throw new UnknownContent();
  }
  let records: unknown[] = value.records;
  for (let from = version; from < formatVersion; from += 1) {
    const upgrade = upgrades.get(from);
    if (upgrade !== undefined) records = records.map(upgrade);
  }
  return parseLine(RecordsLine, {records}).records;
}

/** The end of the intact lines of a file. */
export interface ReadEnd {
  readonly end: number;
  /** Number of bytes after it. */
  readonly tail: number;
  /** Checksum of the last line, or the seed without lines. */
  readonly chain: number;
}

/** How to read one file. */
interface ReadRequest {
  readonly name: string;
  /** The seed of the first line's checksum. */
  readonly chain: number;
  /** Called with the content of each line in order; what it throws is reported as damage to the line. */
  readonly visit: (value: object, place: LinePlace) => void;
  /**
   * Whether the file may end in a torn write: a last line without its newline, or with a sector of NUL
   * bytes, which the file system had allocated but not yet written.
   */
  readonly mayBeTorn: boolean;
}

/**
 * Reads a file line by line, checking the chain of checksums.
 *
 * @throws StoreError of kind `damaged` or `format`, with file and line
 */
export async function readFile(context: ReadContext, request: ReadRequest): Promise<ReadEnd> {
  const path = inDirectory(context.directory, request.name);
  const handle = await context.files.open(path, 'r');
  try {
    const {size} = await handle.stat();
    return await readLines(path, size, handle, request);
  } finally {
    await handle.close();
  }
}

async function readLines(
  path: string,
  size: number,
  handle: Parameters<typeof scanLines>[0],
  {chain, visit, mayBeTorn}: ReadRequest,
): Promise<ReadEnd> {
  let last = chain;
  let lines = 0;
  let tornAt: number | undefined;
  const {end, tail} = await scanLines(handle, (bytes, place) => {
    try {
      const {value, crc} = decodeLine(bytes, last);
      visit(value, place);
      last = crc;
      lines = place.number;
    } catch (error) {
      const isLast = place.offset + bytes.length + 1 === size;
      if (!(mayBeTorn && isLast && lacksSector(bytes, place.offset))) {
        throw lineError(path, place.number, error);
      }
      tornAt = place.offset;
    }
  });
  if (!mayBeTorn && tail.length > 0) throw damagedFile(path, lines + 1, 'it is truncated');
  // A torn write can end anywhere. But a whole line without its newline, followed by another byte,
  // is damage, unless that byte is a NUL: the newline may have begun a sector that was not written.
  if (tail.at(-1) !== 0 && isLine(tail.subarray(0, -1), last)) {
    throw damagedFile(path, lines + 1, 'its newline was changed');
  }
  const intact = tornAt ?? end;
  return {end: intact, tail: end + tail.length - intact, chain: last};
}

/** The smallest unit, in bytes, that a disk writes atomically. */
const sectorBytes = 512;

/** Whether the part of a line in some sector of its file is all NUL bytes. */
function lacksSector(line: Buffer, offset: number): boolean {
  let start = 0;
  while (start < line.length) {
    const end = start + sectorBytes - ((offset + start) % sectorBytes);
    if (line.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}

function isLine(bytes: Buffer, previous: number): boolean {
  try {
    decodeLine(bytes, previous);
    return true;
  } catch {
    return false;
  }
}
