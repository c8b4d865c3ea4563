import type {Batched} from '../domain/batches.js';
import {AppError} from '../errors.js';
import {type CallContext, protocolError} from './context.js';
import type {Call, Transport} from './http/transport.js';
import type {ServiceResponse} from './messages.js';
import {type NextPage, noSuchPage, Pager} from './read/next-page.js';
import {type Elements, Page} from './read/page.js';
import {connectorIn, readConnector, wholeConnector} from './read/reader.js';
import type {ConnectorReading, ListOptions} from './types.js';

/** The maximum number of consecutive empty pages. */
const mostEmptyPages = 100;

/**
 * All connectors, page by page, in batches as they arrive (interface §4.3). The request for the first
 * page has no parameter unless the caller sets a page size. A repeated page ends the list with an error.
 * In batches, the fields of a connector are read on access; one by one, connectors are
 * objects that can be copied and serialized.
 *
 * @throws AppError while it is read
 */
export function listConnectors(
  transport: Transport,
  options: ListOptions,
): Batched<ConnectorReading> {
  const batches = connectorBatches(transport, options);
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches) yield* batch.map(wholeConnector);
    },
  };
}

async function* connectorBatches(
  transport: Transport,
  {signal, pageSize, onResponse}: ListOptions,
): AsyncGenerator<readonly ConnectorReading[], void, void> {
  const context = transport.context('list');
  const first = transport.url('list');
  if (pageSize !== undefined) first.searchParams.set('limit', String(pageSize));
  const pager = new Pager(context, first);
  const addresses = new Set([first.href]);
  const firstIds = new Set<string>();
  let emptyPages = 0;
  let next: NextPage | undefined = {url: first, doubt: undefined};
  while (next) {
    const {url, doubt}: NextPage = next;
    const response = await send(transport, {context, url, signal}, doubt);
    if (response === undefined) return;
    onResponse?.({serverTime: response.serverTime});
    const page = new Page(context, response);
    let count = 0;
    for await (const elements of page.elements()) {
      const connectors = connectorsIn(elements);
      const id = connectors[0]?.id;
      if (id !== undefined && count === 0) {
        if (doubt !== undefined && firstIds.has(id)) throw pager.incomplete(doubt);
        refuseRepeated(context, firstIds, id);
      }
      count += connectors.length;
      if (connectors.length > 0) yield connectors;
      refuseIncomplete(context, elements, connectors.length);
    }
    if (doubt !== undefined && count === 0) return;
    next = pager.next(response, page.members, count);
    if (next) refuseRepeated(context, addresses, next.url.href);
    emptyPages = count === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages)
      throw protocolError(context, 'its pages are empty and never end');
  }
}

/** Requests a page. @returns undefined when it is in doubt, and the service has no such page */
async function send(
  transport: Transport,
  call: Call,
  doubt: string | undefined,
): Promise<ServiceResponse | undefined> {
  try {
    return await transport.send(call, (response) => response);
  } catch (error) {
    const isNone =
      doubt !== undefined && error instanceof AppError && noSuchPage.has(error.status ?? 0);
    if (isNone) return undefined;
    throw error;
  }
}

/** Pages with the same address or the same first connector are the same page. */
function refuseRepeated(context: CallContext, seen: Set<string>, mark: string): void {
  if (seen.has(mark))
    throw protocolError(context, 'it repeats a page', undefined, 'list-incomplete');
  seen.add(mark);
}

/** The connectors up to the first element that is not a connector. */
function connectorsIn({values}: Elements): readonly ConnectorReading[] {
  const connectors: ConnectorReading[] = [];
  for (const value of values) {
    const connector = connectorIn(value);
    if (connector === undefined) break;
    connectors.push(connector);
  }
  return connectors;
}

/** @throws AppError of kind `protocol` that describes the first element that is not a connector */
function refuseIncomplete(
  context: CallContext,
  {list, first, values}: Elements,
  count: number,
): void {
  if (count < values.length) readConnector(context, values[count], `${list}[${first + count}]`);
}
