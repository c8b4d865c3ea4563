import type {CallContext} from '../client/context.js';
import {isObject} from '../client/fields.js';
import {longestBody, type ServiceResponse} from '../client/messages.js';
import {memberNames} from '../client/names/connectors.js';
import {connectorField, connectorIn} from '../client/read/connector.js';
import {readList} from '../client/read/list.js';
import {pagesOf} from '../client/read/pages.js';
import type {Json} from '../domain/json.js';
import {AppError} from '../errors.js';
import type {Exchange} from './exchange.js';

/** A connector as a response shows it. */
export interface ShownConnector {
  /** The id as the client reads it; undefined when there is none. */
  readonly id: string | undefined;
  /** The fields `id` and `name` of the interface (§2), as they were sent. */
  readonly fields: {readonly id: Json | undefined; readonly name: Json | undefined};
}

/** The readable part of the list of connectors. */
export interface Listing {
  readonly connectors: readonly ShownConnector[];
  /** The exchange to show: the one that failed, else the first. */
  readonly exchange: Exchange;
  readonly pages: number;
  /** The reason why the list, or a part of it, was not read; undefined for a whole list. */
  readonly unread: string | undefined;
  /** Whether `unread` is a fault of the service, rather than a form, length or origin that the suite does not read. */
  readonly isFaulty: boolean;
}

/** Names of objects that may hold the fields of a connector. */
const holders = [...memberNames.connectorEnvelopes, 'attributes', 'properties', 'metadata', 'spec'];

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
function readShown(raw: Json): ShownConnector {
  const connector = connectorIn(raw);
  const fields = {id: fieldOf(raw, 'id'), name: fieldOf(raw, 'name')};
  return {id: connector && connectorField.id(connector), fields};
}

/** Reads the details of a connector, which some services send as an array of one. */
export function readDetails(exchange: Exchange): ShownConnector & {readonly raw: Json} {
  const body = exchange.json ?? null;
  const raw = Array.isArray(body) && body.length === 1 ? (body[0] ?? null) : body;
  return {...readShown(raw), raw};
}

/** Maximum number of pages read of one list. */
const mostPages = 2000;

/** Ends the reading of a list, with the reason as its message. */
class Obstacle extends Error {
  readonly isFaulty: boolean;

  constructor(reason: string, isFaulty = false) {
    super(reason);
    this.isFaulty = isFaulty;
  }
}

/**
 * Reads all pages of a list. It keeps only the id and the name of each connector: a long list would fill the memory.
 *
 * @param send requests one page
 */
export async function readListing(
  context: CallContext,
  first: URL,
  send: (url: URL) => Promise<Exchange>,
): Promise<Listing> {
  const connectors: ShownConnector[] = [];
  const exchanges: Exchange[] = [];
  let bytes = 0;
  const request = async (url: URL) => {
    if (url.origin !== first.origin)
      throw new Obstacle(`its next page is on another origin, ${url.origin}`);
    const exchange = await send(url);
    exchanges.push(exchange.shortened);
    const response = {...requirePage(exchange), url};
    bytes += response.body.length;
    if (exchanges.length > mostPages) throw new Obstacle(`it has more than ${mostPages} pages`);
    if (bytes > longestBody('list') * 1024 * 1024)
      throw new Obstacle('its pages are longer than 64 MiB together');
    try {
      return readList(context, response);
    } catch (error) {
      throw obstacleOf(error, exchange);
    }
  };
  let obstacle: Obstacle | undefined;
  try {
    for await (const {elements} of pagesOf(context, first, request))
      for (const element of elements) connectors.push(readShown(element));
  } catch (error) {
    // Without any exchange there is no list to describe: the first request was aborted or not sent.
    if (exchanges.length === 0) throw error;
    obstacle = obstacleOf(error);
  }
  const exchange = exchanges.at(obstacle === undefined ? 0 : -1);
  if (exchange === undefined) throw new Error('no page was requested');
  const {message: unread, isFaulty = false} = obstacle ?? {};
  return {connectors, exchange, pages: exchanges.length, unread, isFaulty};
}

/** The response with a page. @throws Obstacle unless it is a success that is not too long */
function requirePage(exchange: Exchange): ServiceResponse {
  const {response, failure} = exchange;
  if (failure?.reason === 'response-too-long') throw new Obstacle(failure.text);
  const fault = exchange.whyNoSuccess;
  if (response === undefined || fault !== undefined) throw new Obstacle(`${fault}`, true);
  return response;
}

/**
 * The reason to stop reading the list: it breaks the interface, or has a form that the client does not know, since the
 * interface allows any form.
 *
 * @param page the unreadable page, if there is one
 */
function obstacleOf(error: unknown, page?: Exchange): Obstacle {
  if (error instanceof Obstacle) return error;
  if (!(error instanceof AppError)) throw error;
  const [, said = error.message] = /breaks the interface: (.*)$/s.exec(error.message) ?? [];
  if (error.reason !== 'response-invalid' || !page?.response) return new Obstacle(said, true);
  const body = page.json;
  const members = isObject(body) ? Object.values(body) : [];
  const isStructured = members.some((value) => typeof value === 'object' && value !== null);
  const isUsual = /\bjson\b|^text\/(plain|html)$|octet-stream/.test(page.mediaType ?? 'text/plain');
  const isOtherForm = body === undefined ? !isUsual && !page.isWebPage : isStructured;
  const form = isOtherForm ? 'the client does not read this form: ' : '';
  return new Obstacle(form + said, !isOtherForm);
}
