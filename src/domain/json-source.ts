import type {Json} from './json.js';

/**
 * JSON values whose exact text matters: a double changes `1e400`, `1.10` and `-0`, and JavaScript moves
 * keys like `"10"` to the front. This module parses such objects and keeps their source text.
 */

/** Not enumerable, so that a copy, which may differ, has no source. Global: the bundle holds this module twice. */
const source = Symbol.for('connectorctl.json-source');

/** The source text of a parsed object, if serializing its fields could change it. */
export function sourceOf(value: unknown): string | undefined {
  const text: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, source) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** A number that a double may change, after a key, in an array or alone; or a key that JavaScript may move. */
const fragile =
  /(?:"\s*:|^|[[,])\s*(?=-0|-?\d{16}|-?\d+[.eE])(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"(?:\d|\\u003\d)+"\s*:/g;

/** Any number, or a key of digits: most texts have neither, which takes half the time to find out. */
const suspicious = /(?:"\s*:|^|[[,])\s*[-\d]|"(?:\d|\\u003\d)+"\s*:/;

/** Whether `JSON.parse` and `JSON.stringify` together could change the values of this text. */
export function isFragile(text: string): boolean {
  if (!suspicious.test(text)) return false;
  for (const [, digits] of text.matchAll(fragile)) {
    if (digits === undefined || String(exactNumber(digits)) !== digits) return true;
    if (typeof exactNumber(digits) === 'bigint') return true;
  }
  return false;
}

/**
 * Parses a text that `JSON.parse` accepts, and keeps the source of each object. An integer that a double
 * cannot hold becomes a bigint. Recursive: check the depth first.
 */
export function parseExactly(text: string): Json {
  return new ExactParser(text).value();
}

class ExactParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    const token = this.#take();
    if (token === '{') return this.#object();
    if (token === '[') return this.#array();
    return /^[-\d]/.test(token) ? exactNumber(token) : JSON.parse(token);
  }

  #object(): Json {
    const start = this.#at - 1;
    const entries: [string, Json][] = [];
    for (let token = this.#take(); token !== '}'; token = this.#take()) {
      if (token === ',') continue;
      this.#take(); // the colon
      entries.push([JSON.parse(token), this.value()]);
    }
    const object = Object.fromEntries(entries);
    return Object.defineProperty(object, source, {value: this.#text.slice(start, this.#at)});
  }

  #array(): Json {
    const elements: Json[] = [];
    while (this.#peek() !== ']') {
      if (this.#peek() === ',') this.#take();
      elements.push(this.value());
    }
    this.#take();
    return elements;
  }

  #peek(): string | undefined {
    this.#at = skipSpace(this.#text, this.#at);
    return this.#text[this.#at];
  }

  #take(): string {
    const start = skipSpace(this.#text, this.#at);
    this.#at = tokenEnd(this.#text, start);
    return this.#text.slice(start, this.#at);
  }
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

/**
 * Formats a JSON text as `JSON.stringify` does, changing only white space.
 *
 * @param spaces per level; 0 writes one line
 */
export function formatJson(text: string, spaces: number): string {
  let out = '';
  let level = 0;
  let previous = '';
  const lineEnd = () => (spaces === 0 ? '' : `\n${' '.repeat(spaces * level)}`);
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const end = tokenEnd(text, at);
    const token = text.slice(at, end);
    at = skipSpace(text, end);
    if (token === '{' || token === '[') {
      const isEmpty = text[at] === '}' || text[at] === ']';
      level += 1;
      out += isEmpty ? token : token + lineEnd();
    } else if (token === '}' || token === ']') {
      level -= 1;
      out += previous === '{' || previous === '[' ? token : lineEnd() + token;
    } else if (token === ',') {
      out += token + lineEnd();
    } else if (token === ':') {
      out += spaces === 0 ? token : ': ';
    } else {
      out += token;
    }
    previous = token;
  }
  return out;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The end of the token that begins at `start`: a sign, a string, a number or a word. */
function tokenEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  let at = start + 1;
  if (first !== undefined && isSign(first)) return at;
  while (at < text.length && !isSign(text.charAt(at)) && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: string, index: number): boolean {
  let at = index;
  while (text[at - 1] === '\\') at--;
  return (index - at) % 2 === 1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isSign(character: string): boolean {
  return '{}[],:'.includes(character);
}
