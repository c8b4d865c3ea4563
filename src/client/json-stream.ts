// Loaded only for answers that `JSON.parse` cannot take: longer than 1 MiB, or with large integers.
import {Tokenizer, TokenParser} from '@streamparser/json';
import type {Json} from './types.js';

/** A value that a streamed document holds at one of the chosen paths, and where. */
export interface Found {
  /** The keys and indexes that lead to it. */
  readonly path: readonly (string | number | undefined)[];
  readonly value: Json;
}

/** Reads a number as JSON text has it; an integer beyond what a double holds exactly as a bigint. */
function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

class ExactTokenizer extends Tokenizer {
  /** The library passes on whatever this returns; its type does not know that it may be a bigint. */
  override parseNumber(digits: string): number {
    return exactNumber(digits) as number;
  }
}

/** Parses a document as its pieces come, and keeps nothing but the value that is being read. */
export class JsonStream {
  readonly #tokenizer = new ExactTokenizer();
  readonly #parser: TokenParser;
  #found: Found[] = [];
  #failed = false;

  /** @param paths which values to hand out: `$`, `$.*`, `$.next_cursor` */
  constructor(paths: string[]) {
    this.#parser = new TokenParser({paths, keepStack: false});
    this.#parser.onValue = ({value, key, stack}) => {
      const parents = stack.slice(1).map((frame) => frame.key);
      if (value !== undefined) this.#found.push({path: [...parents, key], value});
    };
    this.#tokenizer.onToken = (token) => this.#parser.write(token);
  }

  /** Takes the next piece and returns the values that it completed, before it `failed` or not. */
  write(piece: Uint8Array | string): readonly Found[] {
    this.#found = [];
    try {
      this.#tokenizer.write(piece);
    } catch {
      // The library's message holds parts of the document, which may be secret.
      this.#failed = true;
    }
    return this.#found;
  }

  /** Whether the document turned out not to be JSON. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Whether the document is complete. */
  get ended(): boolean {
    return this.#parser.isEnded;
  }
}

/** Parses a whole text that is known to be JSON, large integers as bigints. */
export function parseExactly(text: string): Json {
  const [found] = new JsonStream(['$']).write(`${text} `);
  return found?.value ?? null;
}
