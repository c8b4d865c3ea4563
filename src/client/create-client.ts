import {randomUUID} from 'node:crypto';
import {headers} from '../contract/headers.js';
import type {ActivateBody, CreateTokenBody} from '../contract/index.js';
import type {JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {type Call, Transport} from './http/transport.js';
import {keepAlive} from './keep-alive.js';
import {parseBody} from './read/body.js';
import {connectorIn, readingOf, requireConnector} from './read/connector.js';
import {readList} from './read/page.js';
import {pagesOf} from './read/pages.js';
import {
  readActivation,
  readActivationToken,
  readBody,
  readHeartbeat,
  readWholeBody,
} from './read/responses.js';
import {readSettings} from './settings.js';
import type {Client, ClientOptions, ConnectorList, HeartbeatOptions, ListOptions} from './types.js';

/** The limits of the attempts of one call. */
type Trying = Pick<Call, 'retries' | 'signal'>;

/**
 * Creates a client of a service that speaks the interface.
 *
 * @throws AppError of kind `usage` for an invalid option. Sends nothing.
 */
export function createClient(options: ClientOptions): Client {
  return clientOver(new Transport(readSettings(options)));
}

/** The operations of the interface over HTTP. */
export function clientOver(transport: Transport): Client {
  const getConnector = (id: string, options: Trying = {}) =>
    transport.send({operation: 'get', id, ...options}, (response, context) =>
      readingOf(requireConnector(context, readBody(context, response))),
    );
  const sendHeartbeat = (id: string, {process, ...options}: HeartbeatOptions & Trying = {}) => {
    const sent = process === undefined ? {} : {[headers.process]: process};
    return transport.send({operation: 'heartbeat', id, headers: sent, ...options}, readHeartbeat);
  };
  return {
    createToken({ttlSeconds, description} = {}, options = {}) {
      const extensions: CreateTokenBody = {ttl_seconds: ttlSeconds, description};
      const isExtended = ttlSeconds !== undefined || description !== undefined;
      const body = isExtended ? JSON.stringify(extensions) : undefined;
      return transport.send({operation: 'createToken', body, ...options}, readActivationToken);
    },
    activateConnector({token, name, idempotencyKey = randomUUID()}, options = {}) {
      const activation: ActivateBody = {token, name};
      const body = JSON.stringify(activation);
      const sent = {[headers.idempotencyKey]: idempotencyKey};
      return transport.send(
        {operation: 'activate', secrets: [token], body, headers: sent, ...options},
        (response, context) => readActivation(readWholeBody(context, response), token, response),
      );
    },
    listConnectors: (options = {}) => listConnectors(transport, options),
    getConnector,
    sendHeartbeat,
    async keepAlive(id, options = {}) {
      const process = randomUUID();
      // The loop of `keepAlive` retries at its own pace.
      const send = (signal: AbortSignal) => sendHeartbeat(id, {signal, process, retries: 0});
      const read = (signal: AbortSignal) => getConnector(id, {signal, retries: 0});
      await keepAlive({send, read}, options, transport.clock);
    },
  };
}

/** Page size for a service whose whole list is too long to be read at once. */
const sizeOfLongList = 1000;

/**
 * All connectors (interface §4.3), one by one, or all at once, which saves an asynchronous step per connector. The first
 * request has no parameter, unless the caller sets a page size. If its response is too long, a page size is set.
 */
function listConnectors(transport: Transport, {signal, pageSize}: ListOptions): ConnectorList {
  const context = transport.context({operation: 'list'});
  const first = transport.url('list');
  if (pageSize !== undefined) first.searchParams.set('limit', String(pageSize));
  const request = (url: URL) =>
    transport.send({operation: 'list', url, signal}, (response) => {
      const list = readList(context, response, parseBody(context, response));
      const elements = list.elements.map(
        (one, at) => connectorIn(one) ?? requireConnector(context, one, `${list.path}[${at}]`),
      );
      return {response: {...response, body: undefined}, list: {...list, elements}};
    });
  const requestInParts = (url: URL) =>
    request(url).catch((error: unknown) => {
      const isTooLong = error instanceof AppError && error.reason === 'response-too-long';
      if (!isTooLong || first.searchParams.has('limit')) throw error;
      for (const {searchParams} of [first, url]) searchParams.set('limit', String(sizeOfLongList));
      return request(url);
    });
  let isRead = false;
  const pages = () => {
    if (isRead) throw new Error('The list was read already; call listConnectors again.');
    isRead = true;
    return pagesOf(context, first, requestInParts);
  };
  return {
    async *[Symbol.asyncIterator]() {
      for await (const {list} of pages()) yield* list.elements.map(readingOf);
    },
    async sent(most = Number.POSITIVE_INFINITY) {
      const all: JsonObject[] = [];
      for await (const {list} of pages()) {
        for (const connector of list.elements) all.push(connector);
        if (all.length >= most) break;
      }
      return all.slice(0, most);
    },
  };
}
