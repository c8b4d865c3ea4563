import {expect} from 'chai';
import type {ConnectorReading} from '../../../src/client/types.js';
import {
  type Answer,
  closeForeignServices,
  foreignService,
  inTurn,
  json,
} from '../../support/foreign-service.js';
import {all, clientOf, failure, impatientClient} from '../support.js';

const ids = (connectors: readonly ConnectorReading[]) => connectors.map(({id}) => id);

describe('a list from a foreign service', () => {
  afterEach(closeForeignServices);

  const list = async (answer: Answer) => all((await clientOf(answer)).listConnectors());

  const two = [{id: 'a'}, {id: 2}];
  const shapes: Record<string, unknown> = {
    'a bare array': two,
    connectors: {connectors: two},
    data: {data: two, total: 2},
    items: {items: two, errors: [{id: 'not this'}]},
    results: {count: 2, results: two, next: null},
    'the only array of objects': {devices: two, tags: ['x', 'y'], others: []},
    'each in an envelope': [{connector: {id: 'a'}}, {data: {id: 2}}],
  };
  for (const [name, answer] of Object.entries(shapes)) {
    it(`is read from ${name}`, async () => {
      expect(ids(await list(json(answer)))).to.deep.equal(['a', '2']);
    });
  }

  for (const answer of [
    [],
    {connectors: []},
    {devices: []},
    {data: null},
    'null',
    {items: [], next_cursor: ''},
  ]) {
    it(`is empty: ${JSON.stringify(answer)}`, async () => {
      expect(await list(json(answer))).to.deep.equal([]);
    });
  }

  const broken: readonly (readonly [unknown, string])[] = [
    [{}, 'it holds no list of connectors'],
    [{a: [{id: 1}], b: [{id: 2}]}, 'it holds no list of connectors'],
    [{a: [], b: []}, 'it holds no list of connectors'],
    [{connectors: {a: {id: 1}}}, 'it holds no list of connectors'],
    ['5', 'it holds no list of connectors'],
    ['', 'it is empty'],
    ['[{"id":1},', 'no valid JSON'],
    [[{id: 1}, 5], '`[1]` is a number, not an object'],
    [{connectors: [{id: 1}, {name: 'x'}]}, '`connectors[1].id` is missing'],
  ];
  for (const [answer, end] of broken) {
    it(`is none: ${JSON.stringify(answer)}`, async () => {
      const error = await failure(() => list(json(answer)));
      expect(error.kind).to.equal('protocol');
      expect(error.message).to.include(end);
    });
  }

  it('gives what it read before it breaks', async () => {
    const service = await foreignService(json([{id: 1}, {id: 2}, 'x']));
    const read: string[] = [];
    await failure(async () => {
      for await (const {id} of impatientClient(service.url).client.listConnectors()) read.push(id);
    });
    expect(read).to.deep.equal(['1', '2']);
  });

  const pages = (
    next: (page: number) => {headers?: Record<string, string>; body?: object},
  ): Answer =>
    inTurn(
      ...[0, 1, 2].map((page): Answer => {
        const {headers, body} = next(page);
        const connectors = [{id: `${page}a`}, {id: `${page}b`}];
        return json(body ? {data: connectors, ...body} : connectors, 200, headers);
      }),
    );
  const paged: Record<string, readonly [Answer, string]> = {
    'Link, relative': [
      pages((page) =>
        page < 2 ? {headers: {link: `</api/connectors?page=${page + 1}>; rel="next"`}} : {},
      ),
      'page=',
    ],
    'Link among others': [
      pages((page) => ({
        headers: {
          link: `<?first=1>; rel="first" , <?page=${page + 1}>; title="a, b"; REL=${page < 2 ? '"last next"' : 'prev'}`,
        },
      })),
      'page=',
    ],
    next_cursor: [
      pages((page) => ({body: {next_cursor: page < 2 ? `c${page + 1}` : null}})),
      'cursor=c',
    ],
    nextCursor: [
      pages((page) => ({body: {nextCursor: page < 2 ? `c${page + 1}` : ''}})),
      'cursor=c',
    ],
    next_page_token: [
      pages((page) => ({body: page < 2 ? {next_page_token: `c${page + 1}`} : {}})),
      'page_token=c',
    ],
    'a numeric next': [pages((page) => ({body: {next: page < 2 ? page + 1 : null}})), 'cursor='],
    'next as address': [
      pages((page) => ({body: {next: page < 2 ? `/api/connectors?offset=${page + 1}` : null}})),
      'offset=',
    ],
    'nested cursor': [
      pages((page) => ({body: {pagination: {next_cursor: page < 2 ? `c${page + 1}` : null}}})),
      'cursor=c',
    ],
    'links.next.href': [
      pages((page) => ({body: {_links: page < 2 ? {next: {href: `?page=${page + 1}`}} : {}}})),
      'page=',
    ],
    'a cursor, and has_more at its end': [
      pages((page) => ({body: {next_cursor: `c${page + 1}`, has_more: page < 2}})),
      'cursor=c',
    ],
  };
  for (const [name, [answer, parameter]] of Object.entries(paged)) {
    it(`has pages by ${name}`, async () => {
      const service = await foreignService(answer);
      const {client} = impatientClient(`${service.url}`, {apiKey: 'k'});
      const connectors = await all(client.listConnectors());
      expect(ids(connectors)).to.deep.equal(['0a', '0b', '1a', '1b', '2a', '2b']);
      expect(service.seen.map(({path}) => path)).to.deep.equal([
        '/api/connectors',
        `/api/connectors?${parameter}1`,
        `/api/connectors?${parameter}2`,
      ]);
      for (const {headers} of service.seen) expect(headers.authorization).to.equal('Bearer k');
    });
  }

  it('escapes a cursor, and keeps the prefix', async () => {
    const service = await foreignService(
      inTurn(json({data: [{id: 1}], next_cursor: 'a&b=c/ü'}), json({data: []})),
    );
    await all(impatientClient(`${service.url}/v1`).client.listConnectors());
    expect(service.seen[1]?.path).to.equal('/v1/api/connectors?cursor=a%26b%3Dc%2F%C3%BC');
  });

  const repeating: Record<string, Answer> = {
    'the same cursor again': json({data: [{id: 1}], next_cursor: 'c'}),
    'the same page under new cursors': (_, response, index) =>
      json({data: [{id: 1}, {id: 2}], next_cursor: `c${index}`})(_, response, index),
    'a Link to itself': json([{id: 1}], 200, {link: '</api/connectors>; rel=next'}),
    'empty pages without end': (_, response, index) =>
      json({data: [], next_cursor: `c${index}`})(_, response, index),
  };
  for (const [name, answer] of Object.entries(repeating)) {
    it(`is stopped when it gives ${name}`, async () => {
      const service = await foreignService(answer);
      const read: string[] = [];
      const error = await failure(async () => {
        for await (const {id} of impatientClient(service.url).client.listConnectors())
          read.push(id);
      });
      expect(error.kind).to.equal('protocol');
      expect(new Set(read).size).to.equal(read.length);
      expect(service.seen.length).to.be.at.most(102);
    });
  }

  it('that says there is more, but not where, is not cut silently', async () => {
    const error = await failure(() => list(json({data: [{id: 1}], has_more: true})));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.include('there is more');
  });

  it('takes the key to no next page of another origin', async () => {
    const stranger = await foreignService(json([{id: 'b'}]));
    const link = {link: `<${stranger.url}/more>; rel="next"`};
    const service = await foreignService(json([{id: 'a'}], 200, link));
    const {client} = impatientClient(service.url, {apiKey: 'sesame'});
    expect(ids(await all(client.listConnectors()))).to.deep.equal(['a', 'b']);
    expect(JSON.stringify(stranger.seen)).not.to.include('sesame');
  });

  it('is asked for no further than its reader goes', async () => {
    const service = await foreignService(pages((page) => ({body: {next_cursor: `c${page}`}})));
    for await (const {id} of impatientClient(service.url).client.listConnectors()) {
      if (id === '0b') break;
    }
    expect(service.seen).to.have.length(1);
  });

  it('retries a page that failed', async () => {
    const service = await foreignService(
      inTurn(json({data: [{id: 1}], next: 'c'}), json({}, 503), json({data: [{id: 2}]})),
    );
    const {client} = impatientClient(service.url);
    expect(ids(await all(client.listConnectors()))).to.deep.equal(['1', '2']);
  });
});
