import type {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {reportedFailure} from '../errors/service.js';
import type {ServiceResponse} from '../messages.js';
import type {Json, JsonObject} from '../types.js';
import {describeBody, parseBody, tooDeep} from './body.js';
import {readMessage, reportedError} from './error-shapes.js';
import {isObject, isTooDeep, names} from './fields.js';
import type {Found, JsonStream, Path} from './json-stream.js';

/** Consecutive elements of a list. */
export interface Elements {
  /** The path of the list in the response. */
  readonly list: string;
  /** The index of the first one. */
  readonly first: number;
  readonly values: readonly Json[];
}

const lists: ReadonlySet<string> = new Set(names.listEnvelopes);
const envelopes: ReadonlySet<string> = new Set(names.outerEnvelopes);
const connections: ReadonlySet<string> = new Set(names.connectionLists);

/** Arrays beside the list that are never the list. */
const besides = new Set(['errors', 'error', 'warnings', 'messages', 'notices', 'links', '_links']);

const noList = 'it holds no list of connectors';

/**
 * One page of the list, of any length: an array, or an object with one array of objects. Up to 1 MiB
 * it is parsed at once; a longer one is streamed in constant memory.
 */
export class Page {
  readonly #context: CallContext;
  readonly #response: ServiceResponse;
  #members: JsonObject = {};
  /** The bytes since the last complete element. */
  #unfinished = 0;

  constructor(context: CallContext, response: ServiceResponse) {
    this.#context = context;
    this.#response = response;
  }

  /** The fields beside the list; complete after the last element. */
  get members(): JsonObject {
    return this.#members;
  }

  /**
   * The elements, as they arrive. Call it once.
   *
   * @throws AppError of kind `protocol` when the response is not a list
   */
  elements(): AsyncGenerator<Elements, void, void> {
    return this.#response.rest ? this.#streamed() : this.#whole();
  }

  async *#whole(): AsyncGenerator<Elements, void, void> {
    const body = await parseBody(this.#context, this.#response);
    if (body === undefined) throw protocolError(this.#context, 'it is empty');
    if (isObject(body)) this.#members = body;
    const arrays = new Map(isObject(body) ? arraysIn(body) : [['', body]]);
    const name = isObject(body) ? listName(body, arrays) : '';
    // Some services write an empty list as null.
    const list = name === undefined ? undefined : (arrays.get(name) ?? []);
    if (!Array.isArray(list)) throw this.#withoutList();
    yield {list: name ?? '', first: 0, values: list};
    this.#refuseErrors();
  }

  async *#streamed(): AsyncGenerator<Elements, void, void> {
    const {start, rest} = this.#response;
    const {JsonStream} = await import('./json-stream.js');
    const envelope = new Envelope(this.#context, this.#members);
    const stream = new JsonStream((path, opening) => envelope.descends(path, opening));
    try {
      // No `yield*` and few layers: each takes several asynchronous steps for each piece.
      for (const piece of piecesOf(start)) {
        for (const elements of this.#elementsIn(piece, stream, envelope)) yield elements;
      }
      for await (const piece of rest ?? []) {
        for (const elements of this.#elementsIn(piece, stream, envelope)) yield elements;
      }
    } finally {
      // Also when the reader stops early: the connection must not stay open.
      rest?.close();
    }
    if (!stream.ended) throw protocolError(this.#context, 'it ends in the middle');
    if (!envelope.hasList) {
      const held = envelope.held();
      if (held === undefined) throw this.#withoutList();
      yield held;
    }
    this.#refuseErrors();
  }

  *#elementsIn(piece: Buffer, stream: JsonStream, envelope: Envelope): Generator<Elements> {
    const found = stream.write(piece);
    this.#unfinished = found.length > 0 ? 0 : this.#unfinished + piece.length;
    if (this.#unfinished > bounds.element)
      throw protocolError(this.#context, 'one element is too long');
    for (const one of found) {
      const deep = one.values.findIndex((value) => isTooDeep(value));
      const elements = envelope.take(
        deep === -1 ? one : {...one, values: one.values.slice(0, deep)},
      );
      if (elements !== undefined) yield elements;
      if (deep !== -1) throw protocolError(this.#context, tooDeep);
    }
    if (stream.failed)
      throw protocolError(this.#context, describeBody(this.#context, this.#response));
    envelope.grow(piece.length);
  }

  /** The error for a response without a list: the service's own, if it reports one. */
  #withoutList(): AppError {
    const reported = reportedError(this.#members);
    if (reported) return reportedFailure(this.#context, this.#response, reported);
    return protocolError(this.#context, noList, readMessage(this.#members));
  }

  /** A list with an error beside it is incomplete. */
  #refuseErrors(): void {
    const reported = reportedError(this.#members);
    if (reported) throw reportedFailure(this.#context, this.#response, reported);
  }
}

const byteOrderMark = Buffer.from('\ufeff');

/** The size of the pieces in which the rest of a response arrives at most, in bytes. */
const pieceSize = 64 * 1024;

/** The beginning of a response in pieces, so that not all of its elements are in memory at once. */
function* piecesOf(start: Buffer): Generator<Buffer> {
  let at = start.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
  for (; at < start.length; at += pieceSize) yield start.subarray(at, at + pieceSize);
}

/** Whether a field of this path has the name of a list: `connectors`, `data.connectors`. */
function isNamedList([outer = '', inner, ...deeper]: readonly string[]): boolean {
  if (inner === undefined) return lists.has(outer);
  return deeper.length === 0 && envelopes.has(outer) && lists.has(inner);
}

/** Whether it is an array in such a field: `connectors.edges`, `data.connectors.edges`. */
function isConnection(path: readonly string[]): boolean {
  return connections.has(path.at(-1) ?? '') && isNamedList(path.slice(0, -1));
}

/** Whether an array of this name is certainly the list: `data`, `data.connectors`, `connectors.edges`. */
function isKnown(name: string): boolean {
  const path = name.split('.');
  return isNamedList(path) || isConnection(path);
}

/** Whether an array may be the list: any of the body and of its envelopes, or one of a connection. */
function mayBeList(path: readonly string[]): boolean {
  if (besides.has(path.at(-1) ?? '')) return false;
  const [outer = ''] = path;
  return path.length < 2 || (path.length === 2 && envelopes.has(outer)) || isConnection(path);
}

/** Whether an object may hold the list. */
function mayHoldList(path: readonly string[]): boolean {
  return (
    path.length === 0 || (path.length === 1 && envelopes.has(path[0] ?? '')) || isNamedList(path)
  );
}

/** The arrays that may be the list, by name: `devices`, then `data.devices`. */
function arraysIn(object: JsonObject, path: readonly string[] = []): readonly [string, Json][] {
  const fields = Object.entries(object).map(([field, value]) => ({at: [...path, field], value}));
  const own = fields.filter(({at, value}) => Array.isArray(value) && mayBeList(at));
  const inner = fields.flatMap(({at, value}) =>
    isObject(value) && mayHoldList(at) ? arraysIn(value, at) : [],
  );
  return [...own.map(({at, value}): [string, Json] => [at.join('.'), value]), ...inner];
}

/** The name of the list: the first known name with an array, else the only array of objects. */
function listName(body: JsonObject, arrays: ReadonlyMap<string, Json>): string | undefined {
  const named = [...arrays.keys()].find(isKnown);
  if (named !== undefined) return named;
  const objects = [body, ...Object.values(body).filter(isObject)];
  const fields = objects.flatMap((object) => Object.entries(object));
  const known = fields.filter(([name]) => lists.has(name));
  // A list of another shape must not count as an empty one.
  if (known.some(([name, value]) => isObject(value) && !envelopes.has(name))) return undefined;
  return onlyList(arrays) ?? known.find(([, value]) => value === null)?.[0];
}

/** The only array of objects; if all arrays are empty, the only empty one. */
function onlyList(arrays: ReadonlyMap<string, Json>): string | undefined {
  const ofObjects = [...arrays].filter(([, array]) => [array].flat().every((one) => isObject(one)));
  const filled = ofObjects.filter(([, array]) => [array].flat().length > 0);
  const [only, second] = filled.length > 0 ? filled : ofObjects;
  return second === undefined ? only?.[0] : undefined;
}

/** In bytes: the longest element, and the most to hold until it is clear which array is the list. */
const bounds = {element: 8 * 1024 * 1024, held: 64 * 1024 * 1024} as const;

/** Separates the elements of the list from the other fields of a streamed page. */
class Envelope {
  readonly #members: JsonObject;
  readonly #context: CallContext;
  readonly #held = new Map<string, Json[]>();
  #list: string | undefined;
  #bytes = 0;

  constructor(context: CallContext, members: JsonObject) {
    this.#context = context;
    this.#members = members;
  }

  get hasList(): boolean {
    return this.#list !== undefined;
  }

  /** Descends into arrays, and into objects that may hold the list. */
  descends(path: Path, opening: '[' | '{'): boolean {
    const fields = path.filter((step) => typeof step === 'string');
    if (fields.length < path.length) return false;
    if (opening === '{') return mayHoldList(fields);
    if (!mayBeList(fields)) return false;
    const name = path.join('.');
    if (name === '' || isKnown(name)) this.#list ??= name;
    return true;
  }

  /** Returns elements of a known name at once; others wait until the end, when they may be the only ones. */
  take({path, values}: Found): Elements | undefined {
    const first = path.at(-1);
    if (typeof first === 'number') {
      const list = path.slice(0, -1).join('.');
      if (list === this.#list) return {list, first, values};
      if (this.#list === undefined) this.#hold(list, values);
      return undefined;
    }
    if (first === undefined) return undefined;
    let holder = this.#members;
    for (const step of path.slice(0, -1)) {
      const inner = holder[step];
      const next = isObject(inner) ? inner : {};
      holder[step] = next;
      holder = next;
    }
    holder[first] = values[0] ?? null;
    return undefined;
  }

  #hold(list: string, values: readonly Json[]): void {
    const held = this.#held.get(list) ?? [];
    held.push(...values);
    this.#held.set(list, held);
  }

  grow(bytes: number): void {
    if (this.#list !== undefined) return;
    this.#bytes += bytes;
    if (this.#bytes > bounds.held) {
      throw protocolError(
        this.#context,
        'it is too long to find out which array holds the connectors',
      );
    }
  }

  /** The elements of the only array of objects, if there is one. */
  held(): Elements | undefined {
    const list = onlyList(this.#held) ?? '';
    const values = this.#held.get(list);
    return values && {list, first: 0, values};
  }
}
