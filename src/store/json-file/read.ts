import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import {jsonOrUndefined, otherVersion} from '../../domain/json.js';
import {type Files, nodeFiles} from '../../system/durable-file.js';
import {errorMessage} from '../../system/system-error.js';
import {StoreError} from '../store.js';
import {fileError, hasStore, names} from './directory.js';
import {decodeLine, type LinePosition, scanLines} from './lines.js';
import type {FileEnd} from './log.js';
import {type Line, State} from './state.js';

/** Version of the format that this build reads and writes. */
export const formatVersion = 1;

/** The value of `format` in the first line. */
const formatName = 'connectorctl json store';

/** The member that the first line has in every version. */
const Format = z.object({format: z.literal(formatName)});

/** The first line of the file. */
const Header = z.extend(Format, {
  version: z.literal(formatVersion),
  createdAt: z.number(),
  serverSecret: z.string(),
});
type Header = z.infer<typeof Header>;

/** The fields that differ between the first lines of two stores. */
export type HeaderFields = Pick<Header, 'createdAt' | 'serverSecret'>;

/** The first line of a new file, as JSON text without braces. */
export function encodeHeader({createdAt, serverSecret}: HeaderFields): string {
  const header = {format: formatName, version: formatVersion, createdAt, serverSecret};
  return JSON.stringify(header).slice(1, -1);
}

/** The file calls and the directory of a store to read. */
export interface ReadContext {
  readonly files: Files;
  readonly directory: string;
}

/** A store as read from its file. */
export interface Loaded {
  readonly header: Header;
  readonly state: State;
  /** Where the next line begins, and the checksum that it continues. */
  readonly end: FileEnd;
  /** Bytes of an unfinished write after `end`. */
  readonly cut: number;
  /** Bytes that the last compaction has written; 0 before the first one. */
  readonly compactBytes: number;
}

/** A line whose checksum is right, but whose content this build does not know. */
class UnknownContent extends Error {
  override readonly name = 'UnknownContent';
}

/** The possible members of lines after the first, besides `crc`. */
const members: ReadonlySet<string> = new Set<keyof Line>([
  'apiKeys',
  'tokens',
  'connectors',
  'heartbeats',
  'removed',
  'compact',
]);

/**
 * Reads a store, and changes nothing. It takes no lock, the file may belong to another user, and a service may use the
 * store at the same time. A torn write at the end is left out: a last line without its newline, or with a
 * sector of NUL bytes, which the file system had allocated but not yet written.
 *
 * @throws StoreError if there is no store, or anything else is damaged; or the error of a file call
 */
export async function readStore({files, directory}: ReadContext): Promise<Loaded> {
  const file = path.join(directory, names.store);
  if (!(await hasStore(files, directory)))
    throw new StoreError('missing', `There is no store at ${directory}.`);
  if (!(await files.lstat(file)).isFile()) {
    const message = `${file} is not a regular file. Replace it with the file itself.`;
    throw new StoreError('format', message);
  }
  const handle = await files.open(file, 'r');
  try {
    return await readLines(file, (await handle.stat()).size, handle);
  } finally {
    await handle.close();
  }
}

/** Reads the store at a location. @throws StoreError when it cannot be read as a whole */
export async function inspectStore(location: string, files: Files = nodeFiles): Promise<Loaded> {
  const directory = path.resolve(location);
  return readStore({files, directory}).catch((error: unknown) => {
    throw fileError(`${directory} cannot be read`, error);
  });
}

async function readLines(path: string, size: number, file: FileHandle): Promise<Loaded> {
  const state = new State();
  let header: Header | undefined;
  let chain = 0;
  let lines = 0;
  let compactBytes = 0;
  let tornAt: number | undefined;
  const {end, tail} = await scanLines(file, (bytes, place) => {
    // This precedes the checksum, which another version may compute in another way.
    if (place.number === 1) requireVersion(path, bytes);
    try {
      const {value, crc} = decodeLine(bytes, chain);
      if (header === undefined) header = parseHeader(value);
      else if (apply(state, value)) compactBytes = place.offset + bytes.length + 1;
      chain = crc;
      lines = place.number;
    } catch (error) {
      const isLast = place.offset + bytes.length + 1 === size;
      const mayBeTorn = isLast && place.number > 1;
      if (!mayBeTorn || !lacksSector(bytes, place.offset)) throw lineError(path, place, error);
      tornAt = place.offset;
    }
  });
  if (header === undefined) throw damaged(path, 1, 'it is truncated');
  // A torn write can end anywhere. But a whole line without its newline, followed by another byte,
  // is damage, unless that byte is a NUL: the newline may have begun a sector that was not written.
  if (tail.at(-1) !== 0 && isLine(tail.subarray(0, -1), chain)) {
    throw damaged(path, lines + 1, 'its newline was changed');
  }
  const length = tornAt ?? end;
  const cut = end + tail.length - length;
  return {header, state, end: {length, chain}, cut, compactBytes};
}

/**
 * Applies a line. Its checksum has been verified, so this does not check the records: with a million of them that would
 * take a fifth of the time of a start.
 *
 * @returns whether the line ends a compaction
 */
function apply(state: State, value: object): boolean {
  if (!Object.keys(value).every((name) => name === 'crc' || members.has(name))) {
    throw new UnknownContent();
  }
  state.apply(value);
  return 'compact' in value;
}

/** Refuses the first line of another version of the format, whatever else it holds. @throws StoreError `format` */
function requireVersion(path: string, line: Buffer): void {
  const header = jsonOrUndefined(line.toString());
  const other = Format.safeParse(header).success && otherVersion(header, formatVersion);
  if (!other) return;
  const message = `${path} ${other}. Nothing was changed; use the connectorctl that wrote it.`;
  throw new StoreError('format', message);
}

function parseHeader(value: object): Header {
  const {data} = Header.safeParse(value);
  if (data === undefined) throw new UnknownContent();
  return data;
}

/** The error for a line that cannot be read, by its reason: damage, or another build's content. */
function lineError(path: string, {number}: LinePosition, reason: unknown): StoreError {
  if (!(reason instanceof UnknownContent)) return damaged(path, number, errorMessage(reason));
  const message = `${path}, line ${number}: this build does not know its content, although its checksum is right: another build of connectorctl wrote it. The store was not opened and nothing was changed; use that build.`;
  return new StoreError('format', message);
}

/** The error for damage, which an operator must repair. */
function damaged(path: string, line: number, reason: string): StoreError {
  const message = `${path}, line ${line}: ${reason}. The store was not opened and nothing was changed; restore it from a backup.`;
  return new StoreError('damaged', message);
}

/** The smallest unit, in bytes, that a disk writes atomically. */
const sectorBytes = 512;

/** Whether some sector of the file holds only NUL bytes of the line. */
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
