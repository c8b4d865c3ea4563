import {protocolError} from './context.js';
import type {Transport} from './http/transport.js';
import {Pager} from './read/next-page.js';
import {Page} from './read/page.js';
import {readConnector} from './read/reader.js';
import type {ConnectorReading, ListOptions} from './types.js';

/** The maximum number of consecutive empty pages. */
const mostEmptyPages = 100;

/**
 * Yields all connectors, page by page, as they arrive (interface §4.3). The request for the first page
 * has no parameter unless the caller sets a page size. A repeated page ends the list with an error.
 *
 * @throws AppError
 */
export async function* listConnectors(
  transport: Transport,
  {signal, pageSize, onResponse}: ListOptions,
): AsyncGenerator<ConnectorReading, void, void> {
  const context = transport.context('list');
  const first = transport.url('list');
  if (pageSize !== undefined) first.searchParams.set('limit', String(pageSize));
  const pager = new Pager(context, first);
  const addresses = new Set([first.href]);
  const firstIds = new Set<string>();
  let emptyPages = 0;
  for (let url: URL | undefined = first; url; ) {
    const response = await transport.send({context, url, signal});
    onResponse?.({serverTime: response.serverTime});
    const page = new Page(context, response);
    let count = 0;
    for await (const {value, path} of page.elements()) {
      const connector = readConnector(context, value, path);
      if (count++ === 0) addNew(firstIds, connector.id);
      yield connector;
    }
    url = pager.next(response, page.members, count);
    if (url) addNew(addresses, url.href);
    emptyPages = count === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages)
      throw protocolError(context, 'its pages are empty and never end');
  }

  /** Pages with the same address or the same first connector are the same page. */
  function addNew(seen: Set<string>, mark: string): void {
    if (seen.has(mark)) throw protocolError(context, 'it repeats a page');
    seen.add(mark);
  }
}
