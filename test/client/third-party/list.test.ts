import {expect} from 'chai';
import type {ConnectorReading} from '../../../src/client/types.js';
import {all, clientOf, clientWithoutDelays, failure} from '../../support/client.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

const ids = (connectors: readonly ConnectorReading[]) => connectors.map(({id}) => id);

describe('a list from a third-party service', () => {
  const list = async (response: Respond) => all((await clientOf(response)).listConnectors());

  const two = [{id: 'a'}, {id: 2}];
  const shapes: Record<string, unknown> = {
    'a bare array': two,
    connectors: {connectors: two},
    data: {data: two, total: 2},
    items: {items: two, errors: [{id: 'not this'}]},
    results: {count: 2, results: two, next: null},
    'the only array of objects': {devices: two, tags: ['x', 'y'], others: []},
    'an object with connectors beside another list': {
      users: [{id: 'no'}],
      topics: {connectors: two},
    },
    'Data.List, and an array of another name': {Data: {List: {ConnectorInfo: two}, Total: 2}},
    'data.connectors beside empty errors': {data: {connectors: two}, errors: []},
    '_embedded.items': {_embedded: {items: two}, _links: {self: {href: '/'}}},
    'the only array in an envelope': {data: {devices: two}, warnings: [{message: 'old'}]},
    'data.items': {data: {items: two, total: 2}},
    '_embedded.connectors': {_embedded: {connectors: two}, _links: {self: {href: '/'}}},
    'edges of nodes': {edges: two.map((node) => ({node})), pageInfo: {hasNextPage: false}},
    'connectors.edges of nodes': {
      connectors: {
        edges: two.map((node) => ({cursor: 'c', node})),
        pageInfo: {hasNextPage: false, endCursor: 'c'},
      },
    },
    'data.connectors.edges of nodes': {
      data: {connectors: {totalCount: 2, edges: two.map((node) => ({node}))}},
      tags: [{id: 'no'}],
    },
    'data.connectors.nodes': {data: {connectors: {nodes: two, pageInfo: {hasNextPage: false}}}},
    'data.edges of nodes': {data: {edges: two.map((node) => ({node}))}},
    'elements in the form of JSON:API': {
      data: two.map(({id}) => ({type: 'c', id, attributes: {}})),
    },
    value: {'@odata.context': '$metadata', value: two},
    'an envelope for each connector': [{connector: {id: 'a'}}, {data: {id: 2}}],
  };
  for (const [name, response] of Object.entries(shapes)) {
    it(`is read from a response with ${name}`, async () => {
      expect(ids(await list(json(response)))).to.deep.equal(['a', '2']);
    });
  }

  it('has connectors that can be copied and serialized', async () => {
    const raw = {id: 7, name: 'web', state: 'up', last_seen: '2026-01-01T00:00:00.000Z'};
    const [connector] = await list(json([raw]));
    expect({...connector}).to.deep.equal({
      id: '7',
      name: 'web',
      organization: undefined,
      status: 'up',
      activatedAt: undefined,
      lastHeartbeatAt: new Date(raw.last_seen),
      identitySharedAt: undefined,
      startsLastHour: undefined,
      raw,
    });
  });

  for (const response of [
    [],
    {connectors: []},
    {devices: []},
    {data: null},
    'null',
    {items: [], next_cursor: ''},
    {data: {connectors: []}, errors: []},
    {data: {connectors: null}},
    {connectors: {edges: [], pageInfo: {hasNextPage: false, endCursor: null}}},
    {data: {connectors: {edges: []}}},
  ]) {
    it(`is empty for the response ${JSON.stringify(response)}`, async () => {
      expect(await list(json(response))).to.deep.equal([]);
    });
  }

  const broken: readonly (readonly [unknown, string])[] = [
    [{}, 'it holds no list of connectors'],
    [{a: [{id: 1}], b: [{id: 2}]}, 'it holds no list of connectors'],
    [{a: [], b: []}, 'it holds no list of connectors'],
    [{connectors: {a: {id: 1}}}, 'it holds no list of connectors'],
    [{errors: []}, 'it holds no list of connectors'],
    [{data: {connectors: {a: {id: 1}}}, tags: []}, 'it holds no list of connectors'],
    [{message: 'come back tomorrow'}, 'connectors; it says: come back tomorrow'],
    ['5', 'it holds no list of connectors'],
    ['', 'it is empty'],
    ['[{"id":1},', 'it ends in the middle'],
    ['[{"id":1', 'it ends in the middle'],
    ['[{"id":"a]}', 'it ends in the middle'],
    ['[{"id":"a\\"]}', 'it ends in the middle'],
    ['{"connectors":[{"id":tru', 'it ends in the middle'],
    ['[{"id":1},x', 'not valid JSON'],
    [[{id: 1}, 5], '`[1]` is a number, not an object'],
    [{connectors: [{id: 1}, {name: 'x'}]}, '`connectors[1].id` is missing'],
  ];
  for (const [response, end] of broken) {
    it(`fails with a protocol error for the response ${JSON.stringify(response)}`, async () => {
      const error = await failure(() => list(json(response)));
      expect(error.kind).to.equal('protocol');
      expect(error.message).to.include(end);
    });
  }

  const nested = (name: string, levels: number) =>
    `${`{"${name}":`.repeat(levels)}5${'}'.repeat(levels)}`;

  it('fails at once for a response that nests envelopes deeply', async () => {
    for (const body of [nested('data', 40), nested('response', 5000)]) {
      const error = await failure(() => list(json(body)));
      expect(error.message).to.match(/it holds no list of connectors|it is nested too deep/);
    }
  });

  it('fails for connectors that no output could show, nested too deep', async () => {
    const error = await failure(() => list(json(`[{"id":1,"labels":${nested('a', 5000)}}]`)));
    expect(error).to.include({kind: 'protocol'});
    expect(error.message).to.include('it is nested too deep');
  });

  it('is whole beside a description that is nested deeply', async () => {
    const body = `{"connectors":[{"id":1}],"meta":${nested('meta', 200)}}`;
    expect(ids(await list(json(body)))).to.deep.equal(['1']);
  });

  /** The ids of a list that fails, up to its failure. */
  const readUntilFailure = async ({url}: {readonly url: string}) => {
    const read: string[] = [];
    const error = await failure(async () => {
      for await (const {id} of clientWithoutDelays(url).client.listConnectors()) read.push(id);
    });
    return {read, error};
  };

  it('yields no connector of a page with something else on it', async () => {
    const service = await thirdPartyService(json([{id: 1}, {id: 2}, 'x']));
    expect((await readUntilFailure(service)).read).to.deep.equal([]);
  });

  /** A service whose pages say this beside two connectors each, or in place of them. */
  const paged: Readonly<Record<string, readonly [said: (page: number) => object, query: string]>> =
    {
      'links as an array': [
        (page) => ({links: [{rel: page < 2 ? 'next' : 'self', href: `?p=${page + 1}`}]}),
        'p=#',
      ],
      'a cursor beside the list in an envelope': [
        (page) => ({
          data: undefined,
          result: {
            connectors: ['a', 'b'].map((end) => ({id: `${page}${end}`})),
            pagination: {next_cursor: page < 2 ? `c${page + 1}` : null},
          },
        }),
        'cursor=c#',
      ],
      'the last cursor of data.connectors.edges': [
        (page) => ({
          data: {
            connectors: {
              pageInfo: {hasNextPage: page < 2, endCursor: `c${page + 1}`},
              edges: ['a', 'b'].map((end) => ({cursor: 'c', node: {id: `${page}${end}`}})),
            },
          },
        }),
        'after=c#',
      ],
    };
  const pages = (said: (page: number) => object, headers = (_: number) => ({})): Respond =>
    inTurn(
      ...[0, 1, 2].map((page) =>
        json({data: [{id: `${page}a`}, {id: `${page}b`}], ...said(page)}, 200, headers(page)),
      ),
    );
  for (const [name, [said, query]] of Object.entries(paged)) {
    it(`is read page by page with ${name}`, async () => {
      const service = await thirdPartyService(pages(said));
      const {client} = clientWithoutDelays(service.url, {apiKey: 'k'});
      const connectors = await all(client.listConnectors());
      expect(ids(connectors)).to.deep.equal(['0a', '0b', '1a', '1b', '2a', '2b']);
      expect(service.seen.map(({path}) => path)).to.deep.equal([
        '/api/connectors',
        ...['1', '2'].map((at) => `/api/connectors?${query.replace('#', at)}`),
      ]);
      for (const {headers} of service.seen) expect(headers.authorization).to.equal('Bearer k');
    });
  }

  it('is read page by page with a Link among others', async () => {
    const link = (page: number) => ({
      link: `<?first=1>; rel="first" , <?page=${page + 1}>; title="a, b"; REL=${page < 2 ? '"last next"' : 'prev'}`,
    });
    expect(await list(pages(() => ({}), link))).to.have.length(6);
  });

  it('yields its connectors and then fails when a total shows that it is incomplete', async () => {
    const service = await thirdPartyService(json({data: two, total: 5}));
    const {read, error} = await readUntilFailure(service);
    expect(error.message).to.include('ends after 2 of 5 connectors');
    expect(read).to.deep.equal(['a', '2']);
  });

  it('is requested with an escaped cursor and the path prefix of the base URL', async () => {
    const service = await thirdPartyService(
      inTurn(json({data: [{id: 1}], next_cursor: 'a&b=c/ü'}), json({data: []})),
    );
    await all(clientWithoutDelays(`${service.url}/v1`).client.listConnectors());
    expect(service.seen[1]?.path).to.equal('/v1/api/connectors?cursor=a%26b%3Dc%2F%C3%BC');
  });

  it('fails when the service sends an endless series of empty pages', async () => {
    const service = await thirdPartyService((_, response, index) =>
      json({data: [], next_cursor: `c${index}`})(_, response, index),
    );
    const {error} = await readUntilFailure(service);
    expect(error.message).to.include('its pages repeat: see `next_cursor`');
    expect(service.seen.length).to.be.at.most(102);
  });

  it('does not send the key to a next page of another origin', async () => {
    const stranger = await thirdPartyService(json([{id: 'b'}]));
    const link = {link: `<${stranger.url}/more>; rel="next"`};
    const service = await thirdPartyService(json([{id: 'a'}], 200, link));
    const {client} = clientWithoutDelays(service.url, {apiKey: 'sesame'});
    expect(ids(await all(client.listConnectors()))).to.deep.equal(['a', 'b']);
    expect(JSON.stringify(stranger.seen)).not.to.include('sesame');
  });

  it('requests no page that the caller does not read', async () => {
    const service = await thirdPartyService(pages((page) => ({next_cursor: `c${page}`})));
    for await (const {id} of clientWithoutDelays(service.url).client.listConnectors()) {
      if (id === '0b') break;
    }
    expect(service.seen).to.have.length(1);
    const {client} = clientWithoutDelays(service.url);
    expect(await client.listConnectors().all({atMost: 2})).to.have.length(2);
    expect(service.seen).to.have.length(2);
  });

  it('retries a failed page', async () => {
    const service = await thirdPartyService(
      inTurn(json({data: [{id: 1}], next: 'c'}), json({}, 503), json({data: [{id: 2}]})),
    );
    const {client} = clientWithoutDelays(service.url);
    expect(ids(await all(client.listConnectors()))).to.deep.equal(['1', '2']);
  });
});
