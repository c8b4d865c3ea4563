import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {isObject, namesIn} from '../fields.js';
import type {ResponseHead} from '../messages.js';

/** The list in a response. */
export interface List {
  /** The path of the list: `data.connectors`, or empty for a bare array. */
  readonly path: string;
  readonly elements: readonly Json[];
  /** The objects around the list, the outermost first. They describe the page. */
  readonly around: readonly JsonObject[];
}

/** One page of a list, and the response that it is in. */
export interface ListPage {
  readonly response: ResponseHead;
  readonly list: List;
}

/** Arrays beside the list that are never the list. */
const besides = ['errors', 'error', 'warnings', 'messages', 'notices', 'links', '_links'];

/** The most levels of objects around a list: `data`, `connectors` and `edges` in the body. */
const deepest = 4;

/** Fields that may hold the array of a list. The first match wins. */
const listEnvelopes = namesIn('connectors data items results value records');
/** Fields that may hold the list and something else, such as the edges of Relay's connections. */
const outerEnvelopes = namesIn('data result results response payload _embedded edges nodes');

/** Fields that may hold the list or an envelope with the list. */
const envelopes = new Set([...listEnvelopes, ...outerEnvelopes]);

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
  if (Array.isArray(value) || value === null) {
    return {path: path.join('.'), elements: value ?? [], around};
  }
  if (!isObject(value) || path.length === deepest) return undefined;
  const inner = (name: string) =>
    findList(value[name] ?? null, [...path, name], [...around, value]);
  for (const name of envelopes) {
    const found = typeof (value[name] ?? undefined) === 'object' ? inner(name) : undefined;
    if (found !== undefined) return found;
  }
  const own = path.at(-1);
  if (own !== undefined && !outerEnvelopes.includes(own)) return null;
  const name = onlyArray(value) ?? listEnvelopes.find((field) => value[field] === null);
  return name === undefined ? undefined : inner(name);
}

/** The field with the only array of objects; if all arrays are empty, the field with the only one. */
function onlyArray(value: JsonObject): string | undefined {
  const arrays = Object.entries(value).filter(
    ([name, array]) => Array.isArray(array) && !besides.includes(name) && array.every(isObject),
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
export function readList(context: CallContext, response: ResponseHead, body?: Json): List {
  if (body === undefined) throw protocolError(context, 'it is empty');
  const reported = reportedError(body);
  if (reported) throw serviceError(context, response, reported);
  const list = findList(body);
  if (list) return list;
  const message = isObject(body) ? readMessage(body) : undefined;
  throw protocolError(context, 'it holds no list of connectors', message);
}
