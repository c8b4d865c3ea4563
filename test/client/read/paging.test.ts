import {expect} from 'chai';
import type {Json, JsonObject} from '../../../src/domain/json.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {bytes, inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

/** What a service says beside the connectors of one page. */
interface Beside {
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

const bodies = (value: Json, ...names: readonly string[]): Beside[] =>
  names.map((name) => ({body: {[name]: value}}));
const headers = (value: string, ...names: readonly string[]): Beside[] =>
  names.map((name) => ({headers: {[name]: value}}));

/** Beside two of 2000 connectors, or the first of 2000 pages, for each sign; the table of names has the words. */
const partSigns: readonly Beside[] = [
  ...bodies(2000, 'total', 'total-count', 'count', 'pages', 'last_page'),
  ...bodies('2000', 'total_count', 'total_pages'),
  ...bodies({value: 2000, relation: 'eq'}, 'total'),
  ...bodies(true, 'has_more'),
  ...bodies('true', 'isTruncated'),
  ...bodies(false, 'last', 'end_of_stream'),
  ...bodies('eyJ', 'cursor', 'next_cursor', 'bookmark'),
  ...bodies(0, 'total'),
  ...bodies({id: {S: 'x'}}, 'LastEvaluatedKey', 'cursor', 'next'),
  ...bodies(5, 'cursor'),
  ...bodies('/api/connectors?page=1', 'next', '@odata.nextLink'),
  // The next page by its number or its position, where the table of names has those of this page.
  ...bodies(2, 'page', 'offset'),
  {body: {offset: 0, limit: 2, more: true, total: null}},
  {body: {offset: 0, limit: 2, size: 2000}},
  {body: {list_complete: true, next_cursor: 'c'}},
  {body: {size: 2, number: 0, totalElements: 2000, totalPages: 1000, last: false}},
  {body: {next: {key: ['a', 1]}}},
  {body: {links: [{rel: ['next'], href: '?page=2'}]}},
  {body: {next: {page: 2, limit: 2}}},
  {body: {'hydra:view': {'hydra:next': '/api/connectors?page=2'}}},
];

const partHeaders: readonly Beside[] = [
  ...headers('2000', 'x-total-count', 'x-total-pages'),
  ...headers('true', 'x-has-more'),
  ...headers('{"TotalCount":2000,"PageSize":2,"TotalPages":1000}', 'x-pagination'),
  ...headers('0-1/2000', 'content-range'),
  {headers: {'content-range': 'items 0-1/*'}, status: 206},
  {status: 206},
];

/** Names of the object that holds them. */
const holders = [
  'result_info',
  'pagination',
  'paging',
  'page_info',
  'pageInfo',
  'page_context',
  'paginator',
  'page',
  'meta',
  '_meta',
  'metadata',
  'list_metadata',
  'info',
  'response_metadata',
] as const;

/** Beside a whole list of two connectors. */
const wholeSigns: readonly Beside[] = [
  ...bodies(2, 'total', 'count', 'total_count', 'size', 'returned', 'length', 'total_items'),
  ...bodies(1, 'page', 'pages', 'total_pages', 'last_page', 'page_count', 'current_page'),
  ...bodies(0, 'page', 'offset', 'from', 'start', 'skip', 'startIndex', 'remaining'),
  ...bodies(2, 'limit', 'used', 'max_items', 'max', 'maximum', 'quota', 'capacity', 'allowed'),
  ...bodies(2, 'per_page', 'page_size', 'pageSize', 'itemsPerPage', 'max_results', 'take', 'top'),
  ...bodies(2000, 'limit', 'max_items', 'quota', 'max_connectors', 'connector_limit', 'licensed'),
  ...bodies(2000, 'total_bytes', 'total_heartbeats', 'heartbeat_count', 'total_time_ms', 'took'),
  ...bodies(2000, 'total_value', 'version', 'revision', 'generation', 'etag', 'from'),
  ...bodies(false, 'has_more', 'hasNextPage', 'is_truncated', 'more', 'partial'),
  ...bodies(true, 'last', 'done', 'complete', 'is_last', 'success', 'ok', 'first', 'partial_sync'),
  ...bodies(null, 'next', 'next_cursor', 'nextPageToken', 'next_url', 'links', 'paging', 'total'),
  {body: {_links: {next: {href: null, templated: false}}}},
  {body: {meta: '{"total":2000}'}},
  {body: {_links: {next: {href: ''}}}},
  ...bodies('', 'next', 'next_cursor', 'nextToken', 'continuation_token', 'cursor'),
  ...bodies('eyJ', 'sync_token', 'previous', 'prev_cursor', 'request_token', 'first', 'last'),
  ...bodies('2026-11-01T00:00:00Z', 'start', 'from', 'since', 'next_run', 'last'),
  ...bodies(60, 'next_poll', 'next_heartbeat_seconds', 'nextCheckIn', 'retry_after', 'ttl'),
  ...bodies('Showing 2 of 2 connectors', 'message', 'range', 'summary', 'description'),
  ...bodies({total: 2000, used: 2}, 'quota', 'usage', 'plan', 'license', 'rate_limit', 'alerts'),
  ...bodies({limit: 2, total: 500}, 'organization', 'billing', 'heartbeats', 'tokens'),
  ...bodies({items: [], total: 500, page: 3}, 'billing', 'tokens'),
  ...bodies({items: [], count: 10, has_more: true}, 'facets', 'stats', 'events', 'history'),
  {body: {limit: 2, offset: 0}},
  {body: {limit: 25, offset: 0, size: 25}},
  {body: {complete: true}},
  {body: {page: 1, per_page: 2}},
  {body: {next: {}}},
  {body: {has_more: false, cursor: 'abc', next_cursor: 'abc'}},
  {body: {pageInfo: {hasNextPage: false, endCursor: 'c'}}},
  {body: {rate_limit: {limit: 2, remaining: 0, reset: 1700000000}}},
  {body: {_shards: {total: 5, successful: 5}, timed_out: false}},
  {body: {organization: {id: 'o', name: 'n', total: 9, page: 3, has_more: true}}},
  {body: {facets: {status: {online: {count: 10}}}}},
  {body: {success: true, status: 'complete', message: 'listed 2 connectors'}},
  {headers: {'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0', 'x-cache-hits': '7'}},
  {headers: {'x-total-count': '2', 'x-request-count': '77', 'x-quota-total': '9'}},
  {headers: {'content-range': 'bytes 0-30/31'}},
  {headers: {'content-range': 'items 0-1/2'}, status: 206},
  {headers: {link: '</api/connectors?page=1>; rel="first", </api/connectors?page=1>; rel="last"'}},
  {headers: {link: '</style.css>; rel=preload', 'x-total-count': '2'}},
];

/** Where services put the list. */
const envelopes: readonly ((list: Json, beside: JsonObject) => Json)[] = [
  (list, beside) => ({connectors: list, ...beside}),
  (data, beside) => ({...beside, data}),
  (list, beside) => ({success: true, result: list, ...beside}),
  (devices, beside) => ({devices, ...beside}),
  (items, beside) => ({data: {items, ...beside}}),
  (items, beside) => ({connectors: {items, ...beside}}),
  (nodes, beside) => ({data: {connectors: {nodes, ...beside}}}),
];

const connectors = ['a', 'b'].map((id) => ({
  id,
  name: 'web-1',
  status: 'online',
  total: 77,
  pages: 9,
  has_more: true,
  next: 'n',
}));

describe('a list of two connectors', () => {
  /** The ids in the list of a service that always sends this, or the error. */
  const read = async (respond: Respond) => {
    const {url} = await thirdPartyService(respond);
    const {client} = clientWithoutDelays(url, {retries: 0});
    return (await all(client.listConnectors())).map(({id}) => id);
  };

  for (const {body = {}, headers = {}, status} of wholeSigns) {
    it(`is whole beside ${JSON.stringify({...body, ...headers})}`, async () => {
      for (const wrap of envelopes) {
        const response = json(wrap(connectors, body), status, headers);
        expect(await read(response), JSON.stringify(wrap([], body))).to.deep.equal(['a', 'b']);
      }
      if (Object.keys(body).length > 0) return;
      expect(await read(json(connectors, status, headers))).to.deep.equal(['a', 'b']);
    });
  }

  for (const {body = {}} of partSigns) {
    it(`is a part beside ${JSON.stringify(body)}`, async () => {
      const besides = [body, ...holders.map((holder) => ({[holder]: body}))];
      for (const [index, beside] of besides.entries()) {
        const wrap = envelopes[index % envelopes.length] ?? envelopes[0];
        const error = await failure(() => read(json(wrap?.(connectors, beside))));
        expect(error.exitCode).to.equal(8);
        expect(error.reason, JSON.stringify(beside)).to.equal('list-incomplete');
      }
    });
  }

  for (const {headers = {}, status = 200} of partHeaders) {
    it(`is a part with the status ${status} and ${JSON.stringify(headers)}`, async () => {
      for (const body of [connectors, {data: connectors}]) {
        const error = await failure(() => read(json(body, status, headers)));
        expect(error).to.include({exitCode: 8, reason: 'list-incomplete'});
      }
    });
  }
});

describe('a list that contradicts what it announced', () => {
  /** The ids of a list that comes in these pages, or the message of its error. */
  const read = async (...pages: readonly object[]) => {
    const {url} = await thirdPartyService(inTurn(...pages.map((page) => json(page))));
    const {client} = clientWithoutDelays(url, {retries: 0});
    try {
      return (await all(client.listConnectors())).map(({id}) => id);
    } catch (error) {
      expect(error).to.include({exitCode: 8, reason: 'list-incomplete'});
      return error instanceof Error ? error.message : error;
    }
  };
  const page = (ids: string, beside: object) => ({data: [...ids].map((id) => ({id})), ...beside});

  const wrong: Readonly<Record<string, readonly [pages: readonly object[], names: string]>> = {
    'an empty page says that there are none after all': [
      [page('ab', {total: 6, limit: 2, skip: 0}), page('', {total: 0, limit: 2, skip: 0})],
      'its total is 0 after 2 connectors: see `total`',
    ],
    'an empty page comes before the announced total': [
      [page('ab', {total: 6, offset: 0}), page('', {})],
      'it ends after 2 of 6 connectors: see `total`',
    ],
    'an empty page repeats the total': [
      [page('ab', {totalCount: 6, offset: 0}), page('', {totalCount: 6, offset: 2})],
      'it ends after 2 of 6 connectors: see `totalCount`',
    ],
    'the total of a single page is below its connectors': [
      [page('abc', {total: 2})],
      'its total is 2 after 3 connectors: see `total`',
    ],
    'the last page says that it is the last, below the total': [
      [page('ab', {count: 6, has_more: false})],
      'it ends after 2 of 6 connectors: see `count`',
    ],
    'a cursor leads to the same page': [
      [page('ab', {next_cursor: 'c'}), page('ab', {next_cursor: 'd'})],
      'its pages repeat: see `next_cursor`',
    ],
    'more is announced with a key that is an object': [
      [page('ab', {LastEvaluatedKey: {id: {S: 'b'}}})],
      'but not how to request them: see `LastEvaluatedKey`',
    ],
  };
  for (const [title, [pages, names]] of Object.entries(wrong)) {
    it(`is an error that names the field when ${title}`, async () => {
      expect(await read(...pages)).to.include(names);
    });
  }

  const right: Readonly<Record<string, readonly object[]>> = {
    'its total falls, since connectors are removed meanwhile': [
      page('ab', {total: 6, next: '1'}),
      page('cd', {total: 5, next: '2'}),
      page('ef', {total: 4}),
    ],
    'it says that there are no more, beside a cursor and an address': [
      page('abcdef', {has_more: false, cursor: 'c', next: '/api/connectors?page=2'}),
    ],
    'its cursor is a number': [page('abc', {cursor: 1000}), page('def', {cursor: 0})],
    'an empty page lies between others': [
      page('ab', {next_page_token: 'c1'}),
      page('', {next_page_token: 'c2'}),
      page('cdef', {next_page_token: ''}),
    ],
    'its last page is empty and repeats the cursor': [
      page('abcdef', {next_cursor: 'c'}),
      page('', {next_cursor: 'c'}),
    ],
    'each page counts its own connectors as the total': [
      page('abcd', {total: 4, next: '1'}),
      page('ef', {total: 2}),
    ],
    'its first page is empty, counts none, and leads on': [
      page('', {total: 0, next_cursor: 'c1'}),
      page('abcdef', {total: 6}),
    ],
    'an empty page follows one that counted its own connectors': [
      page('ab', {total: 2, next_cursor: 'c1'}),
      page('', {next_cursor: 'c2'}),
      page('cdef', {}),
    ],
    'one cursor leads to all pages, and each counts its own connectors': [
      page('ab', {total: 2, scroll_id: 's'}),
      page('cd', {total: 2, scroll_id: 's'}),
      page('ef', {total: 2, scroll_id: ''}),
    ],
    'it has a cursor beside a total that has come': [page('abcdef', {total: 6, end_cursor: 'f'})],
    'its next page has its parameters in an object': [
      page('abc', {next: {page: 2, limit: 3}}),
      page('def', {previous: {page: 1, limit: 3}}),
    ],
  };
  for (const [title, pages] of Object.entries(right)) {
    it(`is whole when ${title}`, async () => {
      expect(await read(...pages)).to.deep.equal([...'abcdef']);
    });
  }

  it('is empty when its pages count none and lead on without an end', async () => {
    const empty = (offset: number) =>
      page('', {total: 0, _links: {next: `/api/connectors?offset=${offset}`}});
    expect(await read(empty(100), empty(200), empty(300))).to.deep.equal([]);
  });

  it('is an error when a cursor has the number of another page', async () => {
    expect(await read(page('ab', {cursor: {page: 2}}))).to.include('see `cursor`');
  });

  it('is whole beside a name of ten million letters that begins like a sign', async () => {
    const beside = {[`more${'in'.repeat(5_000_000)}x`]: true};
    expect(await read(page('ab', beside))).to.deep.equal(['a', 'b']);
  });

  it('follows no address of another scheme', async () => {
    const {url} = await thirdPartyService(json(page('ab', {next_url: 'ftp://127.0.0.1/next'})));
    const error = await failure(() => all(clientWithoutDelays(url).client.listConnectors()));
    expect(error.message).to.include('is not a URL: see `next_url`');
  });
});

describe('a list that cannot be read at once', () => {
  const long: Respond = (_, response) => {
    response.writeHead(200, {'content-type': 'application/json'});
    const connector = JSON.stringify({id: 'long', note: 'x'.repeat(1024 * 1024)});
    response.end(`[${Array(65).fill(connector).join(',')}]`);
  };

  it('is asked for again in parts when it is longer than 64 MiB', async () => {
    const {url, seen} = await thirdPartyService((...call) => {
      const {searchParams} = new URL(call[0].path, 'http://service');
      if (!searchParams.has('limit')) return long(...call);
      const isFirst = !searchParams.has('cursor');
      json({connectors: [{id: isFirst ? 'a' : 'b'}], next_cursor: isFirst ? 'c' : null})(...call);
    });
    const {client} = clientWithoutDelays(url);
    expect((await all(client.listConnectors())).map(({id}) => id)).to.deep.equal(['a', 'b']);
    expect(seen.map(({path}) => path)).to.deep.equal([
      '/api/connectors',
      '/api/connectors?limit=1000',
      '/api/connectors?limit=1000&cursor=c',
    ]);
  });

  it('fails when the service does not send it in parts', async () => {
    const {url, seen} = await thirdPartyService(long);
    const {client} = clientWithoutDelays(url);
    const error = await failure(() => all(client.listConnectors()));
    expect(error).to.include({kind: 'protocol', reason: 'response-too-long'});
    expect(error.message).to.include('it is longer than 64 MiB');
    expect(seen).to.have.length(2);
  });

  it('fails when the service reads the parameter of the parts as a filter', async () => {
    const {url} = await thirdPartyService((...call) => {
      const isFirst = call[2] === 0;
      (isFirst ? long : json({total: 0, limit: 10, skip: 0, data: []}))(...call);
    });
    const error = await failure(() => all(clientWithoutDelays(url).client.listConnectors()));
    expect(error.reason).to.equal('response-too-long');
  });

  it('is asked for once when something else is wrong with it', async () => {
    const {url, seen} = await thirdPartyService(json({connectors: 5}));
    const error = await failure(() => all(clientWithoutDelays(url).client.listConnectors()));
    expect(error.reason).to.equal('response-invalid');
    expect(seen).to.have.length(1);
  });

  it('is asked for again when it breaks off, and yields each connector once', async () => {
    const whole = JSON.stringify({connectors});
    const half = whole.slice(0, whole.length / 2);
    const breaks: Respond[] = [
      (_, response) => {
        response.writeHead(200, {'content-length': whole.length});
        response.write(half, () => response.destroy());
      },
      bytes(half, {'content-type': 'application/json'}),
    ];
    for (const respond of breaks) {
      const {url, seen} = await thirdPartyService((request, response, index) =>
        (index === 0 ? respond : json({connectors}))(request, response, index),
      );
      const {client} = clientWithoutDelays(url);
      expect((await all(client.listConnectors())).map(({id}) => id)).to.deep.equal(['a', 'b']);
      expect(seen).to.have.length(2);
    }
  });
});
