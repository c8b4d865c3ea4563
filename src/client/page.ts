import {describeBody, readBody, tooDeep} from './body.js';
import {breach, type CallContext} from './context.js';
import {isObject, isTooDeep, names} from './fields.js';
import type {Found} from './json-stream.js';
import {cursorNames, moreNames} from './next-page.js';
import type {Json, JsonObject} from './types.js';
import type {Answer} from './wire.js';

/** One element of a list, and where it stands in the answer. */
export interface Element {
  readonly path: string;
  readonly value: Json;
}

type Elements = AsyncGenerator<Element, void, void>;

const known: ReadonlySet<string> = new Set(names.listEnvelopes);

const noList = 'it holds no list of connectors';

/**
 * One page of the list, however long (design §3): an array, or an object with one array of
 * objects. Up to 1 MiB it is parsed at once, beyond that as it comes, in constant memory.
 */
export class Page {
  readonly #context: CallContext;
  readonly #answer: Answer;
  #members: JsonObject = {};

  constructor(context: CallContext, answer: Answer) {
    this.#context = context;
    this.#answer = answer;
  }

  /** What stands beside the list; complete once all elements were taken. */
  get members(): JsonObject {
    return this.#members;
  }

  /**
   * The elements, once.
   *
   * @throws AppError of kind `protocol` when the answer is no list.
   */
  elements(): Elements {
    return this.#answer.rest ? this.#streamed() : this.#whole();
  }

  async *#whole(): Elements {
    const body = await readBody(this.#context, this.#answer);
    if (body === undefined) throw breach(this.#context, 'it is empty');
    if (isObject(body)) this.#members = body;
    const key = isObject(body) ? listKey(body) : undefined;
    const list = isObject(body) ? body[key ?? ''] : body;
    // Some services write an empty list as null.
    if (list !== null && !Array.isArray(list)) throw breach(this.#context, noList);
    for (const [index, value] of (list ?? []).entries()) {
      yield {path: `${key ?? ''}[${index}]`, value};
    }
  }

  async *#streamed(): Elements {
    const {JsonStream} = await import('./json-stream.js');
    const bare = beginsWithBracket(this.#answer.start);
    const stream = new JsonStream(bare ? ['$.*'] : envelopePaths);
    const envelope = new Envelope(this.#context, this.#members);
    let unfinished = 0;
    for await (const chunk of chunksOf(this.#answer)) {
      const found = stream.write(chunk);
      unfinished = found.length > 0 ? 0 : unfinished + chunk.length;
      if (unfinished > bounds.element) throw breach(this.#context, 'one element is too long');
      for (const one of found) {
        if (isTooDeep(one.value)) throw breach(this.#context, tooDeep);
        if (bare) yield {path: `[${one.path[0]}]`, value: one.value};
        else yield* envelope.take(one);
      }
      if (stream.failed) throw breach(this.#context, describeBody(this.#context, this.#answer));
      if (!bare) envelope.grow(chunk.length);
    }
    if (!stream.ended) throw breach(this.#context, 'it ends in the middle');
    if (!bare) yield* envelope.end();
  }
}

/** What a streamed envelope is searched for: elements of arrays, nested fields, and what says where the next page is. */
const envelopePaths = ['$.*.*', ...[...cursorNames, ...moreNames].map((name) => `$.${name}`)];

function beginsWithBracket(start: Buffer): boolean {
  return /^(\xef\xbb\xbf)?\s*\[/.test(start.toString('latin1', 0, 1024));
}

async function* chunksOf({start, rest}: Answer): AsyncGenerator<Buffer, void, void> {
  try {
    yield start;
    if (rest) yield* rest;
  } finally {
    // Also when nobody came to read it: the connection must not stay open.
    rest?.close();
  }
}

/** The field that holds the list: the first known name with an array, else the only array of objects. */
function listKey(body: JsonObject): string | undefined {
  const keys = Object.keys(body);
  const arrays = keys.filter((key) => Array.isArray(body[key]));
  const named = arrays.find((key) => known.has(key));
  if (named !== undefined) return named;
  const ofObjects = arrays.filter((key) => [body[key]].flat().every((value) => isObject(value)));
  const filled = ofObjects.filter((key) => [body[key]].flat().length > 0);
  const [only, second] = filled.length > 0 ? filled : ofObjects;
  if (only !== undefined && second === undefined) return only;
  return keys.find((key) => known.has(key) && body[key] === null);
}

/** The longest single element, and the most that is held back while it is open which array is the list; in bytes. */
const bounds = {element: 8 * 1024 * 1024, held: 64 * 1024 * 1024} as const;

/** Sorts out what a streamed envelope holds: the elements of its list, and the fields beside it. */
class Envelope {
  readonly #members: JsonObject;
  readonly #context: CallContext;
  readonly #held = new Map<string, Element[]>();
  #list: string | undefined;
  #bytes = 0;

  constructor(context: CallContext, members: JsonObject) {
    this.#context = context;
    this.#members = members;
  }

  /** Elements under a known name go out at once; others wait until the end shows that they are the only ones. */
  *take({path: [key, inner], value}: Found): Generator<Element, void, void> {
    const name = String(key);
    if (inner === undefined) {
      this.#members[name] = value;
    } else if (typeof inner === 'string') {
      const container = this.#members[name];
      this.#members[name] = {...(isObject(container) ? container : {}), [inner]: value};
    } else {
      const element = {path: `${name}[${inner}]`, value};
      if (known.has(name)) this.#list ??= name;
      if (name === this.#list) yield element;
      else if (this.#list === undefined) this.#hold(name, element);
    }
  }

  #hold(name: string, element: Element): void {
    const elements = this.#held.get(name);
    if (elements) elements.push(element);
    else this.#held.set(name, [element]);
  }

  grow(bytes: number): void {
    if (this.#list !== undefined) return;
    this.#bytes += bytes;
    if (this.#bytes > bounds.held) {
      throw breach(this.#context, 'it is too long to find out which array holds the connectors');
    }
  }

  *end(): Generator<Element, void, void> {
    if (this.#list !== undefined) return;
    const lists = [...this.#held.values()].filter((list) =>
      list.every(({value}) => isObject(value)),
    );
    const [only, second] = lists;
    if (!only || second) throw breach(this.#context, noList);
    yield* only;
  }
}
