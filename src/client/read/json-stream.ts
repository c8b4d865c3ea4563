// Loaded only for responses longer than 1 MiB.

import type {Json} from '../types.js';
import {parseJson} from './json.js';

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** A value of a streamed document, and where it is. */
export interface Found {
  readonly path: Path;
  readonly value: Json;
}

type Opening = '[' | '{';

/** What may come next between values; `element` and `member` follow an opening bracket. */
type Expected = 'value' | 'element' | 'member' | 'key' | 'colon' | 'next' | 'nothing';

const closings = {'[': ']', '{': '}'} as const;
const isOpening = (sign: string): sign is Opening => sign === '[' || sign === '{';

const [quote, backslash] = Buffer.from('"\\');
const spaces = new Set(Buffer.from(' \t\r\n'));

/** The meaning of a byte outside strings; 0 is a part of a number or a word. */
const meanings = {opening: 1, closing: 2, end: 3};
const meaningOf = new Uint8Array(256);
for (const byte of Buffer.from('[{')) meaningOf[byte] = meanings.opening;
for (const byte of Buffer.from(']}')) meaningOf[byte] = meanings.closing;
for (const byte of Buffer.from(' \t\r\n,:')) meaningOf[byte] = meanings.end;

/**
 * Reads a document in pieces. It keeps only the bytes of the current value, whose end it finds by
 * brackets and quotes, and then parses that value as a whole.
 */
export class JsonStream {
  readonly #descends: (path: Path, opening: Opening) => boolean;
  readonly #open: {readonly opening: Opening; step: string | number}[] = [];
  #expected: Expected = 'value';
  #found: Found[] = [];
  #failed = false;

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
        this.#bytes = [];
        return at;
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

  #findEnd(piece: Buffer, start: number): number | undefined {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#depth === 0) return at + 1;
        }
      } else if (byte === quote) {
        this.#inString = true;
      } else {
        const meaning = meaningOf[byte];
        if (meaning === meanings.opening) {
          this.#depth += 1;
        } else if (meaning === meanings.closing) {
          if (this.#depth === 0) return at;
          this.#depth -= 1;
          if (this.#depth === 0) return at + 1;
        } else if (meaning === meanings.end && this.#depth === 0) {
          return at;
        }
      }
    }
    return undefined;
  }

  #complete(bytes: readonly Buffer[]): void {
    const isKey = this.#expected === 'key' || this.#expected === 'member';
    this.#bytes = undefined;
    try {
      const value = parseJson(Buffer.concat(bytes).toString());
      const inner = this.#open.at(-1);
      if (isKey && inner) inner.step = String(value);
      else this.#found.push({path: this.#path, value});
      this.#expected = isKey ? 'colon' : inner ? 'next' : 'nothing';
    } catch {
      // Dropped: the parser's message holds parts of the document, which may be secret.
      this.#failed = true;
    }
  }
}
