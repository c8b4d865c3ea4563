import type {JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {type CallContext, protocolError} from './context.js';
import type {Transport} from './http/transport.js';
import {parseBody} from './read/body.js';
import {connectorField, connectorIn, readingOf, requireConnector} from './read/connector.js';
import {nextPage} from './read/next-page.js';
import {type ListPage, readList} from './read/page.js';
import type {ConnectorList, ListOptions} from './types.js';

/** The maximum number of consecutive empty pages. */
const mostEmptyPages = 100;

/** Page size for a service whose whole list is too long to be read at once. */
const sizeOfLongList = 1000;

/**
 * The pages of a list, in turn. A page with the same address or the same first connector as an earlier one
 * ends the list with an error.
 *
 * @param request requests one page
 */
export async function* pagesOf<Page extends ListPage>(
  context: CallContext,
  first: URL,
  request: (url: URL) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>();
  const refuseRepeated = (mark: string) => {
    if (seen.has(mark))
      throw protocolError(context, 'it repeats a page', undefined, 'list-incomplete');
    seen.add(mark);
  };
  let url: URL | undefined = first;
  let received = 0;
  let emptyPages = 0;
  for (let pages = 1; url !== undefined; pages += 1) {
    refuseRepeated(url.href);
    const page: Page = await request(url);
    const {elements} = page.list;
    const connector = connectorIn(elements[0] ?? null);
    if (connector) refuseRepeated(`first ${connectorField.id.read(connector)}`);
    emptyPages = elements.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages) {
      throw protocolError(context, 'its pages are empty and never end');
    }
    yield page;
    received += elements.length;
    url = nextPage(context, {...page, first, pages, received});
  }
}

/**
 * All connectors (interface §4.3), one by one, or all at once, which saves an asynchronous step per connector. The first
 * request has no parameter, unless the caller sets a page size. If its response is too long, a page size is set.
 */
export function listConnectors(
  transport: Transport,
  {signal, pageSize}: ListOptions,
): ConnectorList {
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
  const requestInParts = async (url: URL) => {
    try {
      return await request(url);
    } catch (error) {
      const isTooLong = error instanceof AppError && error.reason === 'response-too-long';
      if (!isTooLong || first.searchParams.has('limit')) throw error;
      for (const {searchParams} of [first, url]) searchParams.set('limit', String(sizeOfLongList));
      return request(url);
    }
  };
  const pages = pagesOf(context, first, requestInParts);
  return {
    async *[Symbol.asyncIterator]() {
      for await (const {list} of pages) yield* list.elements.map(readingOf);
    },
    async sent(most = Number.POSITIVE_INFINITY) {
      const all: JsonObject[] = [];
      for await (const {list} of pages) {
        for (const connector of list.elements) all.push(connector);
        if (all.length >= most) return all.slice(0, most);
      }
      return all;
    },
  };
}
