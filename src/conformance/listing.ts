import type {CallContext} from '../client/context.js';
import {firstValue, isObject, names, readLabel} from '../client/fields.js';
import type {ServiceResponse} from '../client/messages.js';
import {type NextPage, noSuchPage, Pager} from '../client/read/next-page.js';
import {Page} from '../client/read/page.js';
import type {Json, JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {bodyLimits} from './attempt.js';
import {
  type Exchange,
  isWebPage,
  jsonOf,
  longestJson,
  mediaType,
  type ProbeResponse,
  shortened,
  whyNoSuccess,
} from './exchange.js';

/** A connector as a response shows it. */
export interface ShownConnector {
  /** The id as the client reads it; undefined when there is none. */
  readonly id: string | undefined;
  /** The fields `id` and `name` of the interface (§2), as they were sent. */
  readonly fields: {readonly id: Json | undefined; readonly name: Json | undefined};
  readonly raw: Json;
}

/** The list of connectors, as far as it could be read. */
export interface Listing {
  readonly connectors: readonly ShownConnector[];
  /** The exchange to show: the one that failed, else the first. */
  readonly exchange: Exchange;
  readonly pages: number;
  /** What makes the response an incomplete list; undefined for a complete one. */
  readonly fault: string | undefined;
  /** What prevents a judgment: the list is in a form that this suite cannot read, or too long. */
  readonly unread: string | undefined;
}

/** Objects that may hold the fields of a connector. */
const holders = [...names.connectorEnvelopes, 'attributes', 'properties', 'metadata', 'spec'];

/** A field of a connector, in the object itself or in one that holds its fields. */
export function fieldOf(value: Json, field: string, depth = 2): Json | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, field)) return value[field];
  if (depth === 0) return undefined;
  return holders
    .map((holder) => fieldOf(value[holder] ?? null, field, depth - 1))
    .find((found) => found !== undefined);
}

/** Reads a connector in any of the shapes that the client knows. */
export function readShown(raw: Json): ShownConnector {
  const own = fieldOf(raw, 'id');
  const known = own === undefined || own === null ? undefined : readLabel(own);
  return {id: known ?? otherId(raw), fields: {id: own, name: fieldOf(raw, 'name')}, raw};
}

/** Reads the details of a connector; an array of one is a shape too. */
export function readDetails(exchange: Exchange): ShownConnector {
  const body = jsonOf(exchange) ?? null;
  return readShown(Array.isArray(body) && body.length === 1 ? (body[0] ?? null) : body);
}

/** Without the rest, which would fill the memory on a long list. */
function idAndName(raw: Json): ShownConnector {
  return {...readShown(raw), raw: null};
}

function otherId(raw: Json): string | undefined {
  const objects = [raw, ...holders.map((holder) => fieldOf(raw, holder, 0) ?? null)];
  return objects
    .filter((value): value is JsonObject => isObject(value))
    .map((object) => firstValue(object, names.id, readLabel))
    .find((id) => id !== undefined);
}

/** Most pages of a list that are read. */
const mostPages = 2000;

/** What makes a list incomplete or prevents a judgment; see `Listing`. */
type Reason = Partial<Pick<Listing, 'fault' | 'unread'>>;

/**
 * Reads all pages of a list.
 *
 * @param send requests one page
 */
export async function readListing(
  context: CallContext,
  first: URL,
  send: (url: URL) => Promise<Exchange>,
): Promise<Listing> {
  const pager = new Pager(context, first);
  const seen = new Set<string>();
  const connectors: ShownConnector[] = [];
  let pages = 0;
  let bytes = 0;
  const listing = (exchange: Exchange, {fault, unread}: Reason = {}): Listing => {
    return {connectors, exchange: shortened(exchange), pages, fault, unread};
  };
  let shown: Exchange | undefined;
  for (let {url, doubt}: NextPage = {url: first, doubt: undefined}; ; ) {
    const exchange = await send(url);
    const status = exchange.response?.status ?? 0;
    if (shown && doubt !== undefined && noSuchPage.has(status)) return listing(shown);
    shown ??= shortened(exchange);
    const {response} = exchange;
    seen.add(url.href);
    pages += 1;
    bytes += response?.body.length ?? 0;
    const obstacle = obstacleOf(exchange) ?? excessOf(pages, bytes);
    if (response === undefined || obstacle !== undefined) return listing(exchange, obstacle);
    const cut = cutOf(response);
    const before = connectors.length;
    let next: NextPage | undefined;
    try {
      const head = {...response, url, serverTime: undefined, keyWithheld: false};
      const page = new Page(context, {...head, ...pieces(response, cut !== undefined)});
      for await (const {values} of page.elements()) connectors.push(...values.map(idAndName));
      next = pager.next(head, page.members, connectors.length - before);
    } catch (error) {
      // Its beginning is good enough for the checks of single connectors.
      return listing(exchange, cut === undefined ? reasonOf(error, exchange) : {unread: cut});
    }
    const [one] = connectors.slice(before);
    if (doubt !== undefined && one === undefined) return listing(shown);
    if (doubt !== undefined && connectors.slice(0, before).some(({id}) => id === one?.id)) {
      connectors.length = before;
      return listing(exchange, {unread: doubt});
    }
    if (next === undefined) return listing(shown);
    if (seen.has(next.url.href)) return listing(exchange, {fault: 'it repeats a page'});
    if (next.url.origin !== first.origin) {
      return listing(exchange, {unread: `its next page is on another origin, ${next.url.origin}`});
    }
    ({url, doubt} = next);
  }
}

/** What makes a page unreadable; undefined if at least its beginning can be read. */
function obstacleOf(exchange: Exchange): Reason | undefined {
  const fault = cutOf(exchange.response) === undefined ? whyNoSuccess(exchange) : undefined;
  if (fault !== undefined) return {fault};
  const unread = foreignForm(exchange);
  return unread === undefined ? undefined : {unread};
}

/** The limit that ends the reading of a list. */
function excessOf(pages: number, bytes: number): Reason | undefined {
  if (pages > mostPages) return {unread: `it has more than ${mostPages} pages`};
  if (bytes > bodyLimits.list) return {unread: 'its pages are longer than 64 MiB together'};
  return undefined;
}

/** The defect of a body that is longer than what is read of it. */
function cutOf(response: ProbeResponse | undefined): string | undefined {
  return response?.defect?.includes('longer than') ? response.defect : undefined;
}

/** A body as the client reads it: a long one in pieces, so that it is parsed in constant memory. */
function pieces(
  {body}: ProbeResponse,
  isEndMissing: boolean,
): Pick<ServiceResponse, 'rest' | 'start'> {
  if (body.length <= longestJson && !isEndMissing) return {start: body, rest: undefined};
  async function* rest() {
    for (let at = longestJson; at < body.length; at += longestJson)
      yield body.subarray(at, at + longestJson);
  }
  return {start: body.subarray(0, longestJson), rest: Object.assign(rest(), {close: () => {}})};
}

/** A form of list that the interface allows and this suite cannot read. */
function foreignForm(exchange: Exchange): string | undefined {
  const {response} = exchange;
  if (response === undefined || response.body.length === 0 || isWebPage(response)) return undefined;
  const type = mediaType(response);
  if (type === undefined || /\bjson\b|^text\/plain$|octet-stream/.test(type)) return undefined;
  return jsonOf(exchange) === undefined ? `its media type is ${type}` : undefined;
}

/** What made a page unreadable: it is no list, or a list in a shape that the client does not know. */
function reasonOf(error: unknown, exchange: Exchange): Reason {
  if (!(error instanceof AppError)) throw error;
  const [, said = error.message] = /breaks the interface: (.*)$/s.exec(error.message) ?? [];
  const body = jsonOf(exchange);
  const isStructured =
    isObject(body) &&
    Object.values(body).some((value) => typeof value === 'object' && value !== null);
  const isOfOtherShape = error.reason === 'response-invalid' && isStructured;
  return isOfOtherShape ? {unread: `the client does not read this shape: ${said}`} : {fault: said};
}
