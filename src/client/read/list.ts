import type {Json, JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage} from '../errors/error-shapes.js';
import {isObject} from '../fields.js';
import type {Transport} from '../http/transport.js';
import type {ServiceResponse} from '../messages.js';
import {listNames, outerNames} from '../names/connectors.js';
import {checkNames} from '../settings.js';
import type {ConnectorList, ListOptions} from '../types.js';
import {readBody} from './body.js';
import {connectorIn, readingOf, requireConnector} from './connector.js';
import {type ListPage, pagesOf} from './pages.js';

/** Page size for a service whose whole list is too long to be read at once. */
const sizeOfLongList = 1000;

/**
 * All connectors (interface §4.3), one by one, or all at once, which saves an asynchronous step per connector. The first
 * request has no parameter, unless the caller sets a page size. A request with too long a response is repeated with one.
 */
export function listConnectors(transport: Transport, options: ListOptions): ConnectorList {
  const {signal, pageSize} = options;
  const context = transport.context({operation: 'list'});
  const first = transport.url('list');
  if (pageSize !== undefined) first.searchParams.set('limit', String(pageSize));
  const request = (url: URL) =>
    transport.send({operation: 'list', url, signal}, (response) => {
      const list = readList(context, response);
      const elements = list.elements.map(
        (one, at) => connectorIn(one) ?? requireConnector(context, one, `${list.path}[${at}]`),
      );
      return {...list, elements};
    });
  const requestInParts = (url: URL) =>
    request(url).catch(async (error: unknown) => {
      const isTooLong = error instanceof AppError && error.reason === 'response-too-long';
      if (!isTooLong || url.searchParams.has('limit')) throw error;
      url.searchParams.set('limit', String(sizeOfLongList));
      const page = await request(url);
      // Some services read an unknown parameter as a filter.
      if (page.elements.length === 0) throw error;
      return page;
    });
  const pages = () => {
    checkNames('listConnectors', options, {pageSize, signal});
    return pagesOf(context, new URL(first), requestInParts);
  };
  return {
    async *[Symbol.asyncIterator]() {
      for await (const {elements} of pages()) yield* elements.map(readingOf);
    },
    async all(limit = {}) {
      checkNames('all', limit, {atMost: ''});
      const {atMost = Number.POSITIVE_INFINITY} = limit;
      const read: JsonObject[] = [];
      for await (const {elements} of pages()) {
        for (const connector of elements) read.push(connector);
        if (read.length >= atMost) break;
      }
      return read.slice(0, atMost);
    },
  };
}

/** Names of arrays beside the list that are never the list. */
const otherArrays = /^(errors?|warnings|messages|notices)$|links?$/;

/** Maximum number of objects around a list: `data`, `connectors` and `edges` in the body. */
const deepest = 4;

/** Fields that may hold the list or an envelope with the list. */
const envelopes = new Set([...listNames, ...outerNames]);

/** `other`: a field that should hold the list has another shape. An empty array beside it must not count as the list. */
type Found = Omit<ListPage, 'response'> | 'nothing' | 'other';

/**
 * The list in a value: the array itself, the array in a field with a known name, else the only array of objects.
 * Some services write an empty list as null.
 */
function findList(
  value: Json,
  path: readonly string[] = [],
  around: readonly JsonObject[] = [],
): Found {
  if (Array.isArray(value) || value === null) {
    return {path: path.join('.'), elements: value ?? [], around};
  }
  if (!isObject(value) || path.length === deepest) return 'nothing';
  const inner = (name: string) =>
    findList(value[name] ?? null, [...path, name], [...around, value]);
  const isHolder = (one?: Json) =>
    isObject(one) && Array.isArray(one['connectors']) && one['connectors'].length > 0;
  const holders = Object.keys(value).filter((name) => isHolder(value[name]));
  for (const name of [...envelopes, ...holders]) {
    if (typeof (value[name] ?? undefined) !== 'object') continue;
    const found = inner(name);
    if (found !== 'nothing') return found;
  }
  const field = path.at(-1);
  if (field !== undefined && !outerNames.includes(field)) return 'other';
  const name = onlyArray(value) ?? listNames.find((known) => value[known] === null);
  return name === undefined ? 'nothing' : inner(name);
}

/** The field with the only filled array of objects; if all are empty, the field with the only array. */
function onlyArray(value: JsonObject): string | undefined {
  const arrays = Object.entries(value).filter(
    ([name, array]) => Array.isArray(array) && !otherArrays.test(name) && array.every(isObject),
  );
  const filled = arrays.filter(([, array]) => Array.isArray(array) && array.length > 0);
  const [only, second] = filled.length > 0 ? filled : arrays;
  return second === undefined ? only?.[0] : undefined;
}

/**
 * The list in the body of a response.
 *
 * @throws AppError as `readBody`, also for an error beside a list, because the list is then incomplete; of kind
 *   `protocol` without a list
 */
export function readList(context: CallContext, response: ServiceResponse): ListPage {
  const body = readBody(context, response);
  if (body === undefined) throw protocolError(context, 'it is empty');
  const found = findList(body);
  // Drops the body, which may be as long as the list.
  const {body: _, ...head} = response;
  if (typeof found === 'object') return {...found, response: head};
  const message = isObject(body) ? readMessage(body) : undefined;
  throw protocolError(context, 'it holds no list of connectors', message);
}
