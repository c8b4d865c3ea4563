import type {FileHandle} from 'node:fs/promises';
import {crc32} from 'node:zlib';

/**
 * A line of a store's file: one JSON object whose first member is the CRC-32 of everything after it, up
 * to the end of the line.
 *
 *     {"crc":"1a2b3c4d","tokens":[…]}
 *                       └ the checksum covers from here to the last brace
 *
 * Each checksum is seeded with that of the previous line, so that a changed, moved or duplicated line breaks the chain;
 * so does a removed one, except at the end.
 */
const opening = '{"crc":"';
const closing = '",';
const bodyStart = opening.length + 8 + closing.length;

/** The byte that ends a line. */
const newline = 10;

/** A line is damaged or out of place. */
export class LineError extends Error {
  override readonly name = 'LineError';
}

const hexadecimal = (crc: number): string => crc.toString(16).padStart(8, '0');

/**
 * Encodes lines.
 *
 * @param lines the members of each line's object as JSON text, without the braces
 * @param previous the checksum of the line before them, 0 without one
 * @returns whole lines, and the checksum of the last one
 */
export function encodeLines(lines: readonly string[], previous: number) {
  let crc = previous;
  const encoded = lines.map((members) => {
    crc = crc32(`${members}}`, crc);
    return `${opening}${hexadecimal(crc)}${closing}${members}}\n`;
  });
  return {bytes: Buffer.from(encoded.join('')), crc};
}

/**
 * Decodes a line.
 *
 * @param bytes the line without its newline
 * @param previous the checksum of the previous line, 0 for the first
 * @returns the content and the checksum of the line
 * @throws LineError when the line, or its place, differs from what was written
 */
export function decodeLine(bytes: Buffer, previous: number) {
  const head = bytes.toString('latin1', 0, bodyStart);
  if (!/^\{"crc":"[0-9a-f]{8}",$/.test(head)) throw new LineError('it has no checksum');
  const crc = crc32(bytes.subarray(bodyStart), previous);
  if (hexadecimal(crc) !== head.slice(opening.length, -closing.length)) {
    throw new LineError('its checksum does not match');
  }
  const value: unknown = JSON.parse(bytes.toString());
  if (typeof value !== 'object' || value === null) throw new LineError('it is not an object');
  return {value, crc};
}

/** The position of a line in its file: `number` counts from 1, `offset` is in bytes. */
export interface LinePosition {
  readonly number: number;
  readonly offset: number;
}

const chunkBytes = 1024 * 1024;

/**
 * Calls `visit` with every complete line of a file, without its newline; `bytes` are valid only during the call. Memory
 * grows with the longest line only.
 *
 * @returns the end of the last line as an offset in bytes, and the bytes after it
 */
export async function scanLines(
  file: Pick<FileHandle, 'read'>,
  visit: (bytes: Buffer, position: LinePosition) => void,
) {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let end = 0;
  let number = 0;
  for (;;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
    const {bytesRead} = await file.read(buffer, filled, buffer.length - filled, end + filled);
    if (bytesRead === 0) return {end, tail: buffer.subarray(0, filled)};
    filled += bytesRead;
    const bytes = buffer.subarray(0, filled);
    let start = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, start)) {
      number += 1;
      visit(bytes.subarray(start, at), {number, offset: end + start});
      start = at + 1;
    }
    bytes.copyWithin(0, start);
    filled -= start;
    end += start;
  }
}
