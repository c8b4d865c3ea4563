import {expect} from 'chai';
import {limits} from '../../../src/contract/index.js';
import {StoreError} from '../../../src/store/store.js';
import {eachWithService, refusal, type Service} from '../../support/server/service.js';

async function activateMany(service: Service, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    service.time += 1;
    ids.push((await service.connector(`web-${index}`)).id);
  }
  return ids;
}

const idsOf = (connectors: readonly {id: string}[]) => connectors.map(({id}) => id);

describe('list', () => {
  const suite = eachWithService();

  it('returns an empty array when there are no connectors', async () => {
    const response = await suite.service.call('list');
    expect(response.statusCode).to.equal(200);
    expect(response.payload).to.equal('[]');
  });

  for (const count of [1, 7]) {
    it(`returns all of ${count} connectors in the order of their ids, each as get returns it`, async () => {
      const {service} = suite;
      const ids = await activateMany(service, count);
      await service.call('heartbeat', {id: ids[0] ?? ''});
      const response = await service.call('list');
      expect(response.headers['content-type']).to.match(/^application\/json/);
      expect(response.headers['link']).to.equal(undefined);
      expect(idsOf(response.json())).to.deep.equal(ids);
      const each = await Promise.all(ids.map((id) => service.call('get', {id})));
      expect(response.json()).to.deep.equal(each.map((one) => one.json()));
    });
  }

  it('escapes a name as JSON, as get does', async () => {
    const {service} = suite;
    const name = 'the "first" \\ of ☃';
    const {id} = await service.connector(name);
    const [one] = (await service.call('list')).json();
    const got = (await service.call('get', {id})).json();
    expect([one.name, got.name]).to.deep.equal([name, name]);
  });

  it('ignores unknown parameters', async () => {
    const ids = await activateMany(suite.service, 2);
    const response = await suite.service.call('list', {query: '?status=online&page=7'});
    expect(idsOf(response.json())).to.deep.equal(ids);
  });

  it('links pages of the requested size without gaps or repeats', async () => {
    const {service} = suite;
    const ids = await activateMany(service, 10);
    for (const [limit, pages] of [
      [1, 10],
      [3, 4],
      [5, 2],
      [10, 1],
      [11, 1],
    ] as const) {
      const read = await readPages(service, `?limit=${limit}`);
      expect(read.map(({length}) => length)).to.have.length(pages);
      expect(read.flat()).to.deep.equal(ids);
    }
  });

  it('uses the default page size for a cursor without a limit', async () => {
    const {service} = suite;
    const ids = await activateMany(service, 3);
    const first = await service.call('list', {query: '?limit=1'});
    const cursor = new URLSearchParams(nextOf(first)).get('cursor');
    const response = await service.call('list', {query: `?cursor=${cursor}`});
    expect(idsOf(response.json())).to.deep.equal(ids.slice(1));
  });

  it('links the next page relative to the request, with any path prefix', async () => {
    const {service} = suite;
    await activateMany(service, 2);
    const next = nextOf(await service.call('list', {query: '?limit=1'}));
    const resolved = new URL(next ?? '', 'https://host/prefix/api/connectors?limit=1');
    expect(resolved.pathname).to.equal('/prefix/api/connectors');
  });

  const limit = {
    path: '/limit',
    message: `must be a whole number from 1 to ${limits.page.max}, given once`,
  };
  const cursor = {path: '/cursor', message: 'must be a cursor of this service, given once'};
  const foreign = {path: '/cursor', message: 'Not a cursor of this service'};
  const refused = [
    ['?limit=0', limit],
    ['?limit=-1', limit],
    [`?limit=${limits.page.max + 1}`, limit],
    ['?limit=1.5', limit],
    ['?limit=many', limit],
    ['?limit=', limit],
    ['?limit=1&limit=2', limit],
    ['?cursor=', cursor],
    ['?cursor=x', foreign],
    ['?cursor=a&cursor=b', cursor],
    ['?cursor=con_1', foreign],
    ['?cursor=key_01M7WC9X5JY2YAPHXVR3EWVDQZ', foreign],
  ] as const;
  for (const [query, error] of refused) {
    it(`refuses ${query}`, async () => {
      const response = await suite.service.call('list', {query});
      expect(refusal(response)).to.deep.equal([400, 'request_invalid']);
      expect(response.json().errors).to.deep.equal([error]);
    });
  }

  it('responds to HEAD without reading the store', async () => {
    const {service} = suite;
    await activateMany(service, 1);
    const {store} = service;
    const list = store.listConnectors.bind(store);
    let lists = 0;
    store.listConnectors = (...range) => {
      lists += 1;
      return list(...range);
    };
    const headers = {authorization: `Bearer ${service.key}`};
    const response = await service.send({method: 'HEAD', url: '/api/connectors', headers});
    expect(response.statusCode).to.equal(200);
    expect(response.headers['content-type']).to.match(/^application\/json/);
    expect(lists).to.equal(0);
  });

  it('sends a problem document when the store fails before the first connector', async () => {
    const {service} = suite;
    await activateMany(service, 1);
    // biome-ignore lint/correctness/useYield: it fails before the first batch
    service.store.listConnectors = async function* () {
      throw new StoreError('unavailable', 'gone');
    };
    for (const query of ['', '?limit=1']) {
      const response = await service.call('list', {query});
      expect(refusal(response)).to.deep.equal([503, 'store_unavailable']);
    }
  });
});

function nextOf(response: {headers: Record<string, unknown>}): string | undefined {
  return /^<([^>]*)>; rel="next"$/.exec(String(response.headers['link']))?.[1];
}

async function readPages(service: Service, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | undefined = query;
  while (next !== undefined) {
    const response = await service.call('list', {query: next});
    expect(response.statusCode).to.equal(200);
    pages.push(idsOf(response.json()));
    next = nextOf(response);
  }
  return pages;
}
