import type {Json, JsonObject} from '../../domain/json.js';
import {isFragile} from '../../domain/json-source.js';
import {isObject} from '../fields.js';

/**
 * How many bytes of objects to parse together: at least so many that it is faster than one by one, and at most so
 * many that memory stays small.
 */
const bounds = {least: 1024, most: 64 * 1024} as const;

/** Consecutive objects, and where the last one ends. */
export interface Objects {
  readonly values: readonly JsonObject[];
  readonly end: number;
}

/**
 * Parses consecutive objects of an array without looking for the end of each: up to the last place where one
 * seems to end and the next to begin. The grammar of JSON makes this safe: if the text before that place is a
 * list of objects, it is one in the whole document too.
 *
 * @param start of the first object
 * @returns undefined when there are too few bytes, when that place is within an object or a string, and
 *   when the objects have to be parsed one by one because a number or the order of keys would change
 */
export function parseObjects(piece: Buffer, start: number): Objects | undefined {
  const end = seemingEnd(piece, start, Math.min(piece.length, start + bounds.most));
  if (end === undefined) return undefined;
  const text = `[${piece.toString('utf8', start, end)}]`;
  try {
    const values: Json[] = JSON.parse(text);
    if (!values.every(isObject)) return undefined;
    return plainLength(values) === text.length || !isFragile(text) ? {values, end} : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there are enough bytes for `parseObjects`. */
export function mayHoldObjects(piece: Buffer, start: number): boolean {
  return piece.length - start >= bounds.least;
}

const comma = 0x2c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Where a closing brace, a comma and an opening brace meet for the last time: the end of the first one. */
function seemingEnd(piece: Buffer, start: number, limit: number): number | undefined {
  for (let at = limit - 1; at > start; at--) {
    if (piece[at] !== openingBrace) continue;
    const separator = beforeSpaces(piece, at);
    if (piece[separator] !== comma) continue;
    const end = beforeSpaces(piece, separator);
    if (piece[end] === closingBrace) return end + 1;
  }
  return undefined;
}

/** The index of the last byte before this one that is not white space. */
function beforeSpaces(piece: Buffer, index: number): number {
  let at = index - 1;
  while (piece[at] === 0x20 || piece[at] === 0x0a || piece[at] === 0x0d || piece[at] === 0x09) at--;
  return at;
}

/** The most levels at which `plainLength` follows nested values. */
const deepest = 8;

/**
 * The length of a value as JSON without spaces and escapes; not a number where the value has one, or a
 * key that begins with a digit. A text of this length is that value: nothing of it can be lost, not even
 * in an earlier member with the same key. `isFragile` takes five times as long to find that out.
 */
function plainLength(value: Json, levels = deepest): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || value === true) return 4;
  if (value === false) return 5;
  if (typeof value !== 'object' || levels === 0) return Number.NaN;
  // Each element and each member adds a comma, the last one the closing bracket.
  let length = 1;
  if (Array.isArray(value)) {
    for (const element of value) length += plainLength(element, levels - 1) + 1;
  } else {
    for (const key in value) {
      if (isDigit(key.charCodeAt(0))) return Number.NaN;
      const member = value[key] ?? null;
      // Of a long list most values are texts, which are faster without a call.
      const isText = typeof member === 'string';
      length += key.length + 4 + (isText ? member.length + 2 : plainLength(member, levels - 1));
    }
  }
  return Math.max(length, 2);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
