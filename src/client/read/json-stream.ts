import type {Json} from '../../domain/json.js';
import {parseJson} from './json.js';
import {mayHoldObjects, type Objects, parseObjects} from './json-objects.js';

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** A value of a streamed document, or consecutive elements of one of its arrays. */
export interface Found {
  /** Where the first value is. */
  readonly path: Path;
  readonly values: Json[];
}

type Opening = '[' | '{';

/** What may come next between values; `element` and `member` follow an opening bracket. */
type Expected = 'value' | 'element' | 'member' | 'key' | 'colon' | 'next' | 'nothing';

const closings = {'[': ']', '{': '}'} as const;
const isOpening = (sign: string): sign is Opening => sign === '[' || sign === '{';

// Literals, which the loop over all bytes compares faster than members.
const quote = 0x22;
const backslash = 0x5c;
const openingBrace = 0x7b;
const spaces = new Set(Buffer.from(' \t\r\n'));

/** The meaning of a byte outside strings; 0 is a part of a word. */
const opening = 1;
const closing = 2;
const end = 3;
const stringStart = 4;
const meaningOf = new Uint8Array(256);
for (const byte of Buffer.from('[{')) meaningOf[byte] = opening;
for (const byte of Buffer.from(']}')) meaningOf[byte] = closing;
for (const byte of Buffer.from(' \t\r\n,:')) meaningOf[byte] = end;
for (const byte of Buffer.from('"')) meaningOf[byte] = stringStart;

/**
 * Reads a document in pieces. It keeps only the bytes of the current value, whose end it finds by
 * brackets and quotes, and then parses that value as a whole; objects of an array that are in one piece
 * together, where `parseObjects` understands them.
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
        const objects = inner?.opening === '[' ? this.#parseObjects(piece, at) : undefined;
        if (inner === undefined || objects === undefined) {
          this.#bytes = [];
          return at;
        }
        this.#add(objects.values);
        inner.step = Number(inner.step) + objects.values.length - 1;
        this.#expected = 'next';
        return objects.end;
      }
      this.#open.push({opening: sign, step: sign === '[' ? 0 : ''});
      this.#expected = sign === '[' ? 'element' : 'member';
    } else {
      this.#failed = true;
    }
    return at + 1;
  }

  /** Collects the bytes of the current value from this piece. */
  #read(bytes: Buffer[], piece: Buffer, start: number): number {
    const end = this.#findEnd(piece, start);
    bytes.push(piece.subarray(start, end));
    if (end !== undefined) this.#complete(bytes);
    return end ?? piece.length;
  }

  /** The objects that begin at this place of an array, where they can be parsed together. */
  #parseObjects(piece: Buffer, start: number): Objects | undefined {
    const isWorthwhile = piece[start] === openingBrace && mayHoldObjects(piece, start);
    if (!this.#isRegular || !isWorthwhile) return undefined;
    const objects = parseObjects(piece, start);
    this.#isRegular = objects !== undefined;
    return objects;
  }

  /** Returns consecutive elements of an array together. */
  #add(values: readonly Json[]): void {
    const path = this.#path;
    const last = this.#found.at(-1);
    if (last !== undefined && isNext(path, last)) last.values.push(...values);
    else this.#found.push({path, values: [...values]});
  }

  #findEnd(piece: Buffer, start: number): number | undefined {
    // Local copies: property access is slow in a loop over bytes.
    const meanings = meaningOf;
    let depth = this.#depth;
    let inString = this.#inString;
    let at = this.#escaped ? start + 1 : start;
    const {length} = piece;
    this.#suspend(0, false, false);
    for (; at < length; at++) {
      const byte = piece[at] ?? 0;
      if (inString) {
        if (byte === backslash) at += 1;
        else if (byte === quote) {
          inString = false;
          if (depth === 0) return at + 1;
        }
        continue;
      }
      const meaning = meanings[byte];
      if (meaning === 0) continue;
      if (meaning === stringStart) {
        inString = true;
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
      else this.#add([value]);
      if (isKey) this.#expected = 'colon';
      else this.#expected = inner === undefined ? 'nothing' : 'next';
    } catch {
      // Dropped: the parser's message holds parts of the document, which may be secret.
      this.#failed = true;
    }
  }
}

/** Whether a path leads to the element after those of the same array. */
function isNext(path: Path, {path: first, values}: Found): boolean {
  return (
    path.length === first.length &&
    path.every((step, level) => {
      const isLast = level === path.length - 1;
      return isLast ? step === Number(first[level]) + values.length : step === first[level];
    })
  );
}
