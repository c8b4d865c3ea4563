import {expect} from 'chai';
import fc from 'fast-check';
import type {Json, JsonObject} from '../../../src/domain/json.js';
import {clientWithoutDelays, failure} from '../../support/client.js';
import {
  bytes,
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../../support/third-party-service.js';

/** What a service says beside the connectors of one page. */
interface Beside {
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Beside a part of a list: 1 of 2000 connectors, or the first of 2000 pages, and no usable way to the next. */
const partSigns: readonly Beside[] = [
  // Numbers of connectors.
  ...[
    'total',
    'Total',
    'total_count',
    'totalCount',
    'TotalCount',
    'total-count',
    'totalcount',
    'count',
    'count_total',
    'total_items',
    'totalResults',
    'opensearch:totalResults',
    'total_records',
    'recordsTotal',
    'totalRecordCount',
    'total_rows',
    'totalEntries',
    'total_entries',
    'totalHits',
    'nbHits',
    'numFound',
    'found',
    'resultCount',
    'result_size',
    'collectionSize',
    'number_of_items',
    'grand_total',
    'overallTotal',
    'total_connectors',
    'connector_count',
    '@odata.count',
    'total_available',
    'total_matched',
  ].map((name) => ({body: {[name]: 2000}})),
  {body: {total: {value: 2000, relation: 'eq'}}},
  {body: {total: '2000'}},
  {body: {count: {total: 2000, returned: 1}}},
  {body: {count: 1, meta: {total: 2000}}},
  // Numbers of pages.
  ...[
    'total_pages',
    'totalPages',
    'TotalPages',
    'page_count',
    'pages',
    'last_page',
    'lastPage',
    'num_pages',
    'numPages',
    'nbPages',
    'number_of_pages',
    'max_page',
    'total-pages',
  ].map((name) => ({body: {[name]: 2000}})),
  // More, in a word.
  ...[
    'has_more',
    'hasMore',
    'HasMore',
    'more',
    'has_next',
    'hasNextPage',
    'has_more_pages',
    'hasMoreItems',
    'more_records',
    'more_items_in_collection',
    'moreAvailable',
    'is_truncated',
    'IsTruncated',
    'truncated',
    'incomplete_results',
    'partial',
  ].map((name) => ({body: {[name]: true}})),
  ...[
    'last',
    'is_last',
    'isLastPage',
    'last_page',
    'done',
    'complete',
    'isComplete',
    'finished',
    'endOfRecords',
    'end_of_list',
    'at_end',
  ].map((name) => ({body: {[name]: false}})),
  {body: {has_more: 'true'}},
  {body: {remainingItemCount: 1999}},
  {body: {remaining_items: 1999}},
  // A next page in another form.
  {body: {next: {key: ['a', 1]}}},
  {body: {LastEvaluatedKey: {id: {S: 'a'}}}},
  {body: {next_key: 'k', unused: null}},
  // Names in a namespace.
  {body: {'hydra:totalItems': 2000}},
  {body: {'hydra:view': {'hydra:next': '/api/connectors?page=2'}}},
  {body: {'s:numberOfItems': 2000}},
  // Ranges in words.
  {body: {range: '0-0/2000'}},
  {body: {showing: '1-1 of 2000'}},
  {body: {message: 'Showing 1 of 2000 connectors'}},
  {body: {page: '1 of 2000'}},
  // As many as fit.
  {body: {limit: 1}},
  {body: {per_page: 1, page: 1}},
  {body: {page_size: 1}},
  {body: {limit: 1, offset: 0}},
  {body: {itemsPerPage: 1, startIndex: 1}},
  {body: {cursor: 'eyJ'}},
];

/** Names of the object that holds them: paging, generic, and of no known kind. */
const holders = [
  'result_info',
  'pagination',
  'paging',
  'page_info',
  'pageInfo',
  'page_context',
  'paginator',
  'meta',
  '_meta',
  'metadata',
  'list_metadata',
  'info',
  'summary',
  'stats',
  'response_metadata',
  'additional_data',
  'searchInfo',
  'collection',
  'extensions',
  'cursor_info',
] as const;

const partHeaders: readonly Beside[] = [
  {headers: {'x-total-count': '2000'}},
  {headers: {'x-total': '2000'}},
  {headers: {'total-count': '2000'}},
  {headers: {'x-wp-total': '2000'}},
  {headers: {'x-wp-totalpages': '2000'}},
  {headers: {'x-total-pages': '2000'}},
  {headers: {'x-page-count': '2000'}},
  {headers: {'x-pagination-total-count': '2000'}},
  {headers: {'pagination-count': '2000'}},
  {headers: {'x-pagination': '{"TotalCount":2000,"PageSize":1,"TotalPages":2000}'}},
  {headers: {'x-has-more': 'true'}},
  {headers: {'x-truncated': 'true'}},
  {headers: {'x-next-cursor': 'abc'}},
  {headers: {'x-continuation-token': 'abc'}},
  {headers: {'x-ms-continuation': 'abc'}},
  {headers: {'content-range': 'items 0-0/2000'}},
  {headers: {'content-range': 'items 0-0/2000'}, status: 206},
  {headers: {'content-range': 'items 0-0/*'}, status: 206},
  {headers: {'content-range': '0-0/2000'}},
  {status: 206},
  {headers: {link: '</api/connectors?page=2>; rel="next"'}},
];

/** Beside a whole list of one connector. */
const wholeSigns: readonly Beside[] = [
  {body: {total: 1}},
  {body: {count: 1, total_count: 1, page: 1, total_pages: 1}},
  {body: {result_info: {page: 1, per_page: 20, count: 1, total_count: 1, total_pages: 1}}},
  {body: {meta: {page: 1, per_page: 50}}},
  {body: {limit: 100, offset: 0}},
  {body: {size: 20, number: 0, totalElements: 1, totalPages: 1, last: true}},
  {body: {has_more: false, cursor: 'abc'}},
  {body: {paging: {cursors: {before: 'a', after: 'b'}}}},
  {body: {pageInfo: {hasNextPage: false, endCursor: 'c'}}},
  {body: {next: null, previous: null, count: 1}},
  {body: {links: {self: '/api/connectors', next: null, last: '/api/connectors?page=1'}}},
  {body: {next_cursor: null, limit: 1}},
  {body: {done: true, totalSize: 1}},
  {body: {total: 0}},
  {body: {page: 1, page_count: 1, total: 1, limit: 1}},
  // Numbers about something else.
  {body: {quota: {total: 2000, used: 1}}},
  {body: {usage: {total: 2000}}},
  {body: {plan: {connectors: 500, total: 500}}},
  {body: {license: {limit: 1, total: 500}}},
  {body: {rate_limit: {limit: 1, remaining: 0, reset: 1700000000}}},
  {body: {_shards: {total: 5, successful: 5}, timed_out: false}},
  {body: {alerts: {total: 17}, tokens: {count: 5}}},
  {body: {heartbeats: {last_hour: {total: 9000}}}},
  {body: {organization: {id: 'o', name: 'n', total: 9, page: 3}}},
  {body: {total_heartbeats: 9000, heartbeat_count: 9000, total_bytes: 80000, total_time_ms: 12}},
  {body: {max_connectors: 1, connector_limit: 1, total_value: 99}},
  {body: {took: 12, version: 3, start: 1700000000, from: 1700000000}},
  {body: {next_heartbeat_seconds: 30, next_poll: 60}},
  {body: {facets: {status: {online: {count: 10}}}}},
  {body: {success: true, status: 'complete', message: 'listed 1 connector'}},
  {headers: {'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-cache-hits': '7'}},
  {headers: {'content-range': 'bytes 0-30/31'}},
  {headers: {'content-range': '0-0/1'}},
  {body: {'hydra:totalItems': 1, 'hydra:view': {'@id': '/api/connectors'}}},
  {headers: {link: '</api/connectors?page=1>; rel="first", </api/connectors?page=1>; rel="last"'}},
  {headers: {'x-total-count': '1'}},
];

/** Where services put the list. */
const envelopes: readonly ((list: Json, beside: JsonObject) => Json)[] = [
  (list, beside) => ({connectors: list, ...beside}),
  (data, beside) => ({...beside, data}),
  (list, beside) => ({success: true, result: list, ...beside}),
  (devices, beside) => ({devices, ...beside}),
  (items, beside) => ({data: {items, ...beside}}),
  (items, beside) => ({result: {items}, ...beside}),
  (items, beside) => ({connectors: {items, ...beside}}),
  (hits, beside) => ({data: {connectors: {nodes: hits, ...beside}}}),
];

const connector = {
  id: 'a',
  name: 'web-1',
  status: 'online',
  total: 77,
  pages: 9,
  has_more: true,
  next: 'n',
};

describe('a list of one connector', () => {
  afterEach(closeThirdPartyServices);

  const read = async (respond: Respond) => {
    const {url} = await thirdPartyService(respond);
    const {client} = clientWithoutDelays(url, {retries: 0});
    const ids: string[] = [];
    for await (const {id} of client.listConnectors()) ids.push(id);
    return ids;
  };

  const wrapped = fc.constantFrom(
    ...envelopes,
    ...envelopes.flatMap((wrap) =>
      holders.map((holder) => (list: Json, beside: JsonObject) => wrap(list, {[holder]: beside})),
    ),
  );

  it('fails with exit code 8 beside any sign that it is a part, wherever the service puts it', async () => {
    for (const {body = {}} of partSigns) {
      await fc.assert(
        fc.asyncProperty(wrapped, async (wrap) => {
          const error = await failure(() => read(json(wrap([connector], body))));
          expect(error.exitCode).to.equal(8);
          expect(error.message).not.to.include('no list');
          await closeThirdPartyServices();
        }),
        {numRuns: 4},
      );
    }
  });

  it('fails with exit code 8 when a header shows that it is a part, also in a bare array', async () => {
    for (const {headers = {}, status = 200} of partHeaders) {
      for (const body of [[connector], {data: [connector]}]) {
        const error = await failure(() => read(json(body, status, headers)));
        expect(error.exitCode, JSON.stringify(headers)).to.equal(8);
      }
    }
  });

  it('is whole beside numbers that say so, and beside numbers about something else', async () => {
    for (const {body = {}, headers = {}} of wholeSigns) {
      for (const wrap of envelopes) {
        const response = wrap([connector], body);
        expect(await read(json(response, 200, headers)), JSON.stringify(response)).to.deep.equal([
          'a',
        ]);
      }
    }
    expect(await read(json([connector]))).to.deep.equal(['a']);
  });

  const ends: Record<string, Respond> = {
    'has no connectors': json({connectors: [], page: 2}),
    'does not exist': bytes('', {}, 404),
    'is out of range': bytes('', {}, 416),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`is whole when it may be a part and the page after it ${what}`, async () => {
      for (const beside of [{page: 1}, {limit: 1, offset: 0}, {cursor: 'c'}, {per_page: 1}]) {
        const respond: Respond = (seen, response, index) =>
          (index === 0 ? json({connectors: [connector], ...beside}) : end)(seen, response, index);
        expect(await read(respond)).to.deep.equal(['a']);
      }
    });
  }

  it('is a part when the page after it has other connectors', async () => {
    for (const beside of [{page: 1}, {limit: 1, offset: 0}, {startIndex: 1, itemsPerPage: 1}]) {
      const respond: Respond = (seen, response) => {
        const {searchParams} = new URL(seen.path, 'http://x');
        const place = Number([...searchParams.values()][0] ?? 0);
        const own = Object.fromEntries(
          Object.entries(beside).map(([name, value]) => [
            name,
            name === 'limit' || name === 'itemsPerPage' ? value : place || value,
          ]),
        );
        const connectors = place > 3 ? [] : [{id: `c${place}`}];
        json({connectors, ...own})(seen, response, 0);
      };
      expect((await read(respond)).length).to.be.greaterThan(2);
    }
  });
});
