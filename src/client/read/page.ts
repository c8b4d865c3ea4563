import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {isObject, names} from '../fields.js';
import type {ResponseHead} from '../messages.js';

/** The list in a response. */
export interface List {
  /** The path of the list: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around it, the outermost first. They describe the page. */
  readonly around: readonly JsonObject[];
}

/** Fields that hold the list or its metadata. */
const lists: ReadonlySet<string> = new Set(names.listEnvelopes);

/** Fields that may hold the list and something else. */
const envelopes: ReadonlySet<string> = new Set([...names.outerEnvelopes, ...names.connectionLists]);

/** Arrays beside the list that are never the list. */
const besides = new Set(['errors', 'error', 'warnings', 'messages', 'notices', 'links', '_links']);

/** The most objects around a list: `data`, `connectors` and `edges` in the body. */
const deepest = 4;

/**
 * The list in a value: the array itself, the array in a field with a known name, else the only array of objects.
 * Some services write an empty list as null.
 *
 * @returns undefined without a list; null where a field of a list has another shape, so that it never counts as
 *   an empty list beside another one
 */
function findList(
  value: Json,
  path: readonly string[] = [],
  around: readonly JsonObject[] = [],
): List | null | undefined {
  const listOf = (elements: readonly Json[]) => ({path: path.join('.'), elements, around});
  if (Array.isArray(value)) return listOf(value);
  if (value === null) return listOf([]);
  if (!isObject(value) || path.length === deepest) return undefined;
  const inner = (name: string) =>
    findList(value[name] ?? null, [...path, name], [...around, value]);
  const known = [...lists, ...envelopes];
  for (const name of known.filter((name) => isFilled(value[name]))) {
    const found = inner(name);
    if (found !== undefined) return found;
  }
  const own = path.at(-1);
  if (own !== undefined && !envelopes.has(own)) return null;
  const name = onlyArray(value) ?? [...lists].find((name) => value[name] === null);
  return name === undefined ? undefined : inner(name);
}

const isFilled = (value: Json | undefined) => typeof value === 'object' && value !== null;

/** The only array of objects; if all arrays are empty, the only empty one. */
function onlyArray(value: JsonObject): string | undefined {
  const arrays = Object.entries(value).filter(
    ([name, array]) => Array.isArray(array) && !besides.has(name) && array.every(isObject),
  );
  const filled = arrays.filter(([, array]) => Array.isArray(array) && array.length > 0);
  const [only, second] = filled.length > 0 ? filled : arrays;
  return second === undefined ? only?.[0] : undefined;
}

/**
 * The list in the body of a response.
 *
 * @throws AppError for an error that the body reports, also beside a list, which is then incomplete; of kind
 *   `protocol` without a list
 */
export function readList(
  context: CallContext,
  response: ResponseHead,
  body: Json | undefined,
): List {
  if (body === undefined) throw protocolError(context, 'it is empty');
  const reported = reportedError(body);
  if (reported) throw serviceError(context, response, reported);
  const list = findList(body);
  if (list) return list;
  const message = isObject(body) ? readMessage(body) : undefined;
  throw protocolError(context, 'it holds no list of connectors', message);
}
