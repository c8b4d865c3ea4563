// Loaded only for responses longer than 1 MiB.

import {isFragile} from '../../domain/json-source.js';
import type {Json} from '../types.js';
import {parseJson} from './json.js';
import {mayHoldObjects, parseObjects} from './json-objects.js';

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** A value of a streamed document, or consecutive elements of one of its arrays. */
export interface Found {
  /** Where the first value is. */
  readonly path: Path;
  readonly values: readonly Json[];
}

type Opening = '[' | '{';

/** What may come next between values; `element` and `member` follow an opening bracket. */
type Expected = 'value' | 'element' | 'member' | 'key' | 'colon' | 'next' | 'nothing';

const closings = {'[': ']', '{': '}'} as const;
const isOpening = (sign: string): sign is Opening => sign === '[' || sign === '{';

// Literals, which the loop over all bytes compares faster than members.
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBrace = 0x7b;
const spaces = new Set(Buffer.from(' \t\r\n'));

/** The most elements that are parsed together. */
const longestRun = 200;

/** The meaning of a byte outside strings; 0 is a part of a word. */
const opening = 1;
const closing = 2;
const end = 3;
const stringStart = 4;
const number = 5;
const meaningOf = new Uint8Array(256);
for (const byte of Buffer.from('[{')) meaningOf[byte] = opening;
for (const byte of Buffer.from(']}')) meaningOf[byte] = closing;
for (const byte of Buffer.from(' \t\r\n,:')) meaningOf[byte] = end;
for (const byte of Buffer.from('"')) meaningOf[byte] = stringStart;
for (const byte of Buffer.from('-0123456789')) meaningOf[byte] = number;

/**
 * Reads a document in pieces. It keeps only the bytes of the current value, whose end it finds by
 * brackets and quotes, and then parses that value as a whole; elements of an array that are in one piece
 * together.
 */
export class JsonStream {
  readonly #descends: (path: Path, opening: Opening) => boolean;
  readonly #open: {readonly opening: Opening; step: string | number}[] = [];
  #expected: Expected = 'value';
  #found: Found[] = [];
  #failed = false;
  /** Whether `parseObjects` understood all objects so far: where it does not, trying takes time. */
  #isRegular = true;

  /** The current value or key: its bytes so far, the depth, and whether the end is in a string. */
  #bytes: Buffer[] | undefined;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether a number or a key of digits was seen since this was last set to false. */
  #mayBeFragile = false;

  /**
   * @param descends whether to return the parts of an array or object one by one; otherwise it is one
   *   value
   */
  constructor(descends: (path: Path, opening: Opening) => boolean) {
    this.#descends = descends;
  }

  /** Takes the next piece and returns the values that it completes, even if it then `failed`. */
  write(piece: Buffer): readonly Found[] {
    this.#found = [];
    for (let at = 0; at < piece.length && !this.#failed; ) {
      at = this.#bytes ? this.#read(this.#bytes, piece, at) : this.#step(piece, at);
    }
    return this.#found;
  }

  /** Whether the document is not JSON. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Whether the document is complete. */
  get ended(): boolean {
    return this.#expected === 'nothing' && !this.#failed;
  }

  get #path(): Path {
    return this.#open.map(({step}) => step);
  }

  /** Takes one byte between values. */
  #step(piece: Buffer, at: number): number {
    const byte = piece[at] ?? 0;
    if (spaces.has(byte)) return at + 1;
    const sign = String.fromCharCode(byte);
    const inner = this.#open.at(-1);
    const expected = this.#expected;
    if (inner && sign === closings[inner.opening] && /next|element|member/.test(expected)) {
      this.#open.pop();
      this.#expected = this.#open.length === 0 ? 'nothing' : 'next';
    } else if (expected === 'colon' && sign === ':') {
      this.#expected = 'value';
    } else if (inner && expected === 'next' && sign === ',') {
      if (typeof inner.step === 'number') inner.step += 1;
      this.#expected = inner.opening === '[' ? 'value' : 'key';
    } else if ((expected === 'key' || expected === 'member') && sign === '"') {
      this.#bytes = [];
      return at;
    } else if (expected === 'value' || expected === 'element') {
      if (!isOpening(sign) || !this.#descends(this.#path, sign)) {
        const end = inner?.opening === '[' ? this.#readElements(inner, piece, at) : at;
        if (end === at && !this.#failed) this.#bytes = [];
        return end;
      }
      this.#open.push({opening: sign, step: sign === '[' ? 0 : ''});
      this.#expected = sign === '[' ? 'element' : 'member';
    } else {
      this.#failed = true;
    }
    return at + 1;
  }

  /** Takes the bytes of a value that are in this piece. */
  #read(bytes: Buffer[], piece: Buffer, start: number): number {
    const end = this.#findEnd(piece, start);
    bytes.push(piece.subarray(start, end));
    if (end !== undefined) this.#complete(bytes);
    return end ?? piece.length;
  }

  /** Takes the elements that are complete in this piece, or many. Returns `start` when the first one is not. */
  #readElements(array: {step: string | number}, piece: Buffer, start: number): number {
    if (this.#isRegular && piece[start] === openingBrace && mayHoldObjects(piece, start)) {
      const objects = parseObjects(piece, start);
      if (objects !== undefined) return this.#take(array, objects.values, objects.end);
      this.#isRegular = false;
    }
    return this.#readRun(array, piece, start);
  }

  /** The same, one by one. */
  #readRun(array: {step: string | number}, piece: Buffer, start: number): number {
    const bounds: number[] = [];
    const kind = openingOf(piece[start]);
    this.#mayBeFragile = false;
    let at = start;
    while (at < piece.length && bounds.length < longestRun * 2) {
      const end = this.#findEnd(piece, at);
      if (end === undefined) {
        this.#suspend(0, false, false);
        break;
      }
      bounds.push(at, end);
      at = skipSpaces(piece, end);
      if (piece[at] !== comma) break;
      at = skipSpaces(piece, at + 1);
      // An array among values, or an object, may be one whose parts are returned one by one.
      if (openingOf(piece[at]) !== kind) break;
    }
    if (bounds.length === 0) return start;
    const values =
      parseTogether(piece, bounds, this.#mayBeFragile) ?? this.#parseEach(piece, bounds);
    return this.#take(array, values, bounds.at(-1) ?? start);
  }

  /** The values up to the first that is not JSON. */
  #parseEach(piece: Buffer, bounds: readonly number[]): readonly Json[] {
    const values: Json[] = [];
    for (let index = 0; index < bounds.length && !this.#failed; index += 2) {
      try {
        values.push(parseJson(piece.toString('utf8', bounds[index], bounds[index + 1])));
      } catch {
        // Dropped, as below.
        this.#failed = true;
      }
    }
    return values;
  }

  #take(array: {step: string | number}, values: readonly Json[], end: number): number {
    if (values.length > 0) this.#add(this.#path, values);
    array.step = Number(array.step) + values.length - 1;
    this.#expected = 'next';
    return end;
  }

  /** Returns elements together with the one before them, whose beginning was in the piece before. */
  #add(path: Path, values: readonly Json[]): void {
    const last = this.#found.at(-1);
    if (last?.values.length !== 1 || !isNext(path, last.path)) this.#found.push({path, values});
    else this.#found.splice(-1, 1, {path: last.path, values: [...last.values, ...values]});
  }

  #findEnd(piece: Buffer, start: number): number | undefined {
    // Members are slow in a loop over bytes.
    const meanings = meaningOf;
    let depth = this.#depth;
    let inString = this.#inString;
    let at = this.#escaped ? start + 1 : start;
    const {length} = piece;
    let first = start;
    this.#suspend(0, false, false);
    for (; at < length; at++) {
      const byte = piece[at] ?? 0;
      if (inString) {
        if (byte === backslash) at += 1;
        else if (byte === quote) {
          inString = false;
          if (depth === 0) return at + 1;
          if (isDigit(piece[first]) && isDigit(piece[at - 1])) this.#mayBeFragile = true;
        }
        continue;
      }
      const meaning = meanings[byte];
      if (meaning === 0) continue;
      if (meaning === stringStart) {
        inString = true;
        first = at + 1;
      } else if (meaning === number) {
        this.#mayBeFragile = true;
      } else if (meaning === opening) {
        depth += 1;
      } else if (meaning === closing) {
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0) {
        return at;
      }
    }
    this.#suspend(depth, inString, at > piece.length);
    return undefined;
  }

  /** Keeps where in a value a piece ends. */
  #suspend(depth: number, inString: boolean, escaped: boolean): void {
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
  }

  #complete(bytes: readonly Buffer[]): void {
    const isKey = this.#expected === 'key' || this.#expected === 'member';
    this.#bytes = undefined;
    try {
      const value = parseJson(Buffer.concat(bytes).toString());
      const inner = this.#open.at(-1);
      if (isKey && inner) inner.step = String(value);
      else this.#found.push({path: this.#path, values: [value]});
      if (isKey) this.#expected = 'colon';
      else this.#expected = inner === undefined ? 'nothing' : 'next';
    } catch {
      // Dropped: the parser's message holds parts of the document, which may be secret.
      this.#failed = true;
    }
  }
}

/** Whether a path leads to the element after another one of the same array. */
function isNext(path: Path, previous: Path): boolean {
  return (
    path.length === previous.length &&
    path.every((step, level) => {
      const isLast = level === path.length - 1;
      return isLast ? step === Number(previous[level]) + 1 : step === previous[level];
    })
  );
}

/** The byte of a bracket that opens an array or object; 0 for any other. */
function openingOf(byte = 0): number {
  return meaningOf[byte] === opening ? byte : 0;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function skipSpaces(piece: Buffer, from: number): number {
  let at = from;
  while (spaces.has(piece[at] ?? 0)) at++;
  return at;
}

/**
 * The values between these bounds, which only commas and spaces separate. Undefined when they have to be
 * parsed one by one: one is not JSON, or not exact as doubles.
 */
function parseTogether(
  piece: Buffer,
  bounds: readonly number[],
  mayBeFragile: boolean,
): readonly Json[] | undefined {
  const text = piece.toString('utf8', bounds[0], bounds.at(-1));
  if (mayBeFragile && isFragile(text)) return undefined;
  try {
    const values: readonly Json[] = JSON.parse(`[${text}]`);
    return values.length === bounds.length / 2 ? values : undefined;
  } catch {
    return undefined;
  }
}
