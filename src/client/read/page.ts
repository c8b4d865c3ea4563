import type {Json, JsonObject} from '../../domain/json.js';
import type {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage, reportedError} from '../errors/error-shapes.js';
import {reportedFailure} from '../errors/service.js';
import {isObject, isTooDeep, names} from '../fields.js';
import type {ServiceResponse} from '../messages.js';
import {describeBody, tooDeep} from './body.js';
import {type Found, JsonStream, type Path} from './json-stream.js';

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
const connections: ReadonlySet<string> = new Set([
  ...names.connectionLists,
  ...names.listEnvelopes,
]);

/** Arrays beside the list that are never the list. */
const besides = new Set(['errors', 'error', 'warnings', 'messages', 'notices', 'links', '_links']);

const noList = 'it holds no list of connectors';

/**
 * One page of the list, of any length: an array, or an object with one array of objects. It is parsed while
 * it arrives, in constant memory.
 */
export class Page {
  readonly #context: CallContext;
  readonly #response: ServiceResponse;
  readonly #envelope: Envelope;
  readonly #stream: JsonStream;
  /** The bytes since the last complete element. */
  #unfinished = 0;

  constructor(context: CallContext, response: ServiceResponse) {
    this.#context = context;
    this.#response = response;
    const envelope = new Envelope(context);
    this.#envelope = envelope;
    this.#stream = new JsonStream((path, opening) => envelope.descends(path, opening));
  }

  /** The fields beside the list; complete after the last element. */
  get members(): JsonObject {
    return this.#envelope.members;
  }

  /**
   * The elements, as they arrive; none of a short response that turns out to be no list. Call it once.
   *
   * @throws AppError of kind `protocol` when the response is not a list
   */
  async *elements(): AsyncGenerator<Elements, void, void> {
    const {start, rest} = this.#response;
    const beginning = this.#read(piecesOf(start));
    if (rest === undefined) {
      for (const elements of [...beginning, ...this.#end()]) yield elements;
    } else {
      try {
        // No `yield*` and few layers: each takes several asynchronous steps for each piece.
        for (const elements of beginning) yield elements;
        for await (const piece of rest) {
          for (const elements of this.#read([piece])) yield elements;
        }
      } finally {
        // Also when the reader stops early: the connection must not stay open.
        rest.close();
      }
      for (const elements of this.#end()) yield elements;
    }
    this.#refuseErrors();
  }

  *#read(pieces: Iterable<Buffer>): Generator<Elements> {
    for (const piece of pieces) {
      const found = this.#stream.write(piece);
      this.#unfinished = found.length > 0 ? 0 : this.#unfinished + piece.length;
      if (this.#unfinished > bounds.element)
        throw protocolError(this.#context, 'one element is too long');
      for (const one of found) {
        const deep = one.values.findIndex((value) => isTooDeep(value));
        const elements = this.#envelope.take(
          deep === -1 ? one : {...one, values: one.values.slice(0, deep)},
        );
        if (elements !== undefined) yield elements;
        if (deep !== -1) throw protocolError(this.#context, tooDeep);
      }
      if (this.#stream.failed)
        throw protocolError(this.#context, describeBody(this.#context, this.#response));
      this.#envelope.grow(piece.length);
    }
  }

  /** The elements that only the end of the response shows to be the list. */
  *#end(): Generator<Elements> {
    // A number and a word end with the byte behind them.
    yield* this.#read([Buffer.from(' ')]);
    if (!this.#stream.ended) {
      const isEmpty = this.#response.start.toString().trim() === '';
      throw protocolError(this.#context, isEmpty ? 'it is empty' : 'it ends in the middle');
    }
    if (this.#envelope.hasList) return;
    const held = this.#envelope.held();
    if (held === undefined) throw this.#withoutList();
    yield held;
  }

  /** The error for a response without a list: the service's own, if it reports one. */
  #withoutList(): AppError {
    const reported = reportedError(this.members);
    if (reported) return reportedFailure(this.#context, this.#response, reported);
    return protocolError(this.#context, noList, readMessage(this.members));
  }

  /** A list with an error beside it is incomplete. */
  #refuseErrors(): void {
    const reported = reportedError(this.members);
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

/** Whether it is an array in such a field: `connectors.edges`, `connectors.items`, `data.connectors.edges`. */
function isConnection(path: readonly string[]): boolean {
  return connections.has(path.at(-1) ?? '') && isNamedList(path.slice(0, -1));
}

/** Whether an array of this name is certainly the list: `data`, `data.connectors`, `connectors.edges`. */
function isKnown(name: string): boolean {
  const path = name.split('.');
  return isNamedList(path) || isConnection(path);
}

/** Whether the array at a path may be the list: directly in the body or an envelope, or in a connection (Relay). */
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

/** The only array of objects; if all arrays are empty, the only empty one. */
function onlyList(arrays: ReadonlyMap<string, Json>): string | undefined {
  const ofObjects = [...arrays].filter(([, array]) => [array].flat().every((one) => isObject(one)));
  const filled = ofObjects.filter(([, array]) => [array].flat().length > 0);
  const [only, second] = filled.length > 0 ? filled : ofObjects;
  return second === undefined ? only?.[0] : undefined;
}

/** In bytes: the longest element, and the most to hold until it is clear which array is the list. */
const bounds = {element: 8 * 1024 * 1024, held: 64 * 1024 * 1024} as const;

/** Separates the elements of the list from the other fields of a page. */
class Envelope {
  /** Without a prototype: a field named `__proto__` is a field. */
  readonly members: JsonObject = Object.create(null);
  readonly #context: CallContext;
  /** The arrays that may be the list, by name, until one certainly is: `devices`, `data.devices`. */
  readonly #held = new Map<string, Json[]>();
  #list: string | undefined;
  #bytes = 0;

  constructor(context: CallContext) {
    this.#context = context;
  }

  get hasList(): boolean {
    return this.#list !== undefined;
  }

  /** Descends into arrays, and into objects that may hold the list. */
  descends(path: Path, opening: '[' | '{'): boolean {
    const fields = path.filter((step) => typeof step === 'string');
    if (fields.length < path.length) return false;
    if (opening === '{') {
      if (!mayHoldList(fields)) return false;
      this.#holder(fields);
      return true;
    }
    if (!mayBeList(fields)) return false;
    const name = path.join('.');
    if (name === '' || isKnown(name)) this.#list ??= name;
    this.#hold(name, []);
    return true;
  }

  /** Returns elements of a known name at once; others wait until the end, when they may be the only ones. */
  take({path, values}: Found): Elements | undefined {
    const first = path.at(-1);
    if (typeof first === 'number') {
      const list = path.slice(0, -1).join('.');
      if (list === this.#list) return {list, first, values};
      this.#hold(list, values);
    } else if (first !== undefined) {
      this.#holder(path.slice(0, -1))[first] = values[0] ?? null;
    } else if (values[0] === null) {
      // Some services write an empty list as null.
      this.#list = '';
    }
    return undefined;
  }

  /** The object with the fields at this path. */
  #holder(path: Path): JsonObject {
    let holder = this.members;
    for (const step of path) {
      const inner = holder[step];
      const next: JsonObject = isObject(inner) ? inner : Object.create(null);
      holder[step] = next;
      holder = next;
    }
    return holder;
  }

  #hold(list: string, values: readonly Json[]): void {
    if (this.#list !== undefined) return;
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

  /** The elements of the only array of objects, or none where the list is null. */
  held(): Elements | undefined {
    const objects = [this.members, ...Object.values(this.members).filter(isObject)];
    const fields = objects.flatMap((object) => Object.entries(object));
    const known = fields.filter(([name]) => lists.has(name));
    // A list of another shape must not count as an empty one.
    if (known.some(([name, value]) => isObject(value) && !envelopes.has(name))) return undefined;
    const list = onlyList(this.#held) ?? known.find(([, value]) => value === null)?.[0];
    return list === undefined ? undefined : {list, first: 0, values: this.#held.get(list) ?? []};
  }
}
