import {expect} from 'chai';
import {problems} from '../../../src/contract/index.js';
import {Metrics} from '../../../src/server/observability/metrics.js';
import {StoreError} from '../../../src/store/store.js';
import {eachWithService, Service} from '../../support/server/service.js';

const interval = 60_000;

/** Reads the samples with this prefix, keyed by name and labels as written. */
async function samples(service: Service, name = ''): Promise<Record<string, number>> {
  const response = await service.send({method: 'GET', url: '/metrics'});
  expect(response.statusCode).to.equal(200);
  const lines = response.payload.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines
      .map(
        (line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))] as const,
      )
      .filter(([sample]) => sample.startsWith(name)),
  );
}

describe('the metrics', () => {
  const suite = eachWithService({activationFailureLimit: 2});

  it('count requests and their time by route, method and status', async () => {
    const {service} = suite;
    const {id} = await service.connector();
    await service.call('get', {id});
    await service.call('get', {id: 'con_none'});
    await service.send({method: 'GET', url: '/nowhere'});
    const counted = await samples(service, 'connectorctl_http_request_duration_seconds_count');
    const labeled = (labels: string) =>
      counted[`connectorctl_http_request_duration_seconds_count{${labels}}`];
    const route = 'route="/api/connectors/:id",method="GET"';
    expect(labeled(`${route},status="200"`)).to.equal(1);
    expect(labeled(`${route},status="404"`)).to.equal(1);
    expect(labeled('route="none",method="GET",status="404"')).to.equal(1);
  });

  it('count refused requests by code, including those over a limit', async () => {
    const {service} = suite;
    const guess = {body: {token: 'act_x', name: 'x'}};
    for (let time = 0; time < 4; time += 1) await service.call('activate', guess);
    await service.call('activate', {body: {token: 'x'.repeat(20_000), name: 'x'}});
    await service.call('list', {key: null});
    const counted = await samples(service, 'connectorctl_problems');
    expect(
      Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0)),
    ).to.deep.equal({
      'connectorctl_problems_total{code="token_malformed"}': 2,
      'connectorctl_problems_total{code="rate_limited"}': 2,
      'connectorctl_problems_total{code="body_too_large"}': 1,
      'connectorctl_problems_total{code="key_missing"}': 1,
    });
    // A code that appeared with its first refusal would hide it from `increase()`.
    expect(Object.keys(counted)).to.have.length(Object.keys(problems).length);
  });

  it('count the connectors by status, at most every 15 seconds', async () => {
    const {service} = suite;
    let measured = 0;
    const measure = service.store.measure.bind(service.store);
    service.store.measure = (bounds) => {
      measured += 1;
      return measure(bounds);
    };
    for (const age of [undefined, 11, 5, 2, 1]) {
      const {id} = await service.connector();
      const heartbeat = async () =>
        void (await service.store.recordHeartbeat(id, at, {organization: 'default'}));
      const at = service.time - (age ?? 0) * interval;
      if (age !== undefined) await heartbeat();
    }
    const expected = {
      'connectorctl_connectors{status="never"}': 1,
      'connectorctl_connectors{status="offline"}': 1,
      'connectorctl_connectors{status="stale"}': 1,
      'connectorctl_connectors{status="online"}': 2,
      'connectorctl_connectors{status="revoked"}': 0,
    };
    expect(await samples(service, 'connectorctl_connectors')).to.deep.equal(expected);
    await service.connector();
    service.elapsed += 14_999;
    expect(await samples(service, 'connectorctl_connectors')).to.deep.equal(expected);
    expect(measured).to.equal(1);
    service.elapsed += 1;
    const later = await samples(service, 'connectorctl_connectors');
    expect(later['connectorctl_connectors{status="never"}']).to.equal(2);
    expect(await samples(service, 'connectorctl_store')).to.include({
      connectorctl_store_ready: 1,
      connectorctl_store_bytes: 1024,
    });
  });

  it('report an unavailable store, without its content', async () => {
    const {service} = suite;
    service.store.failure = new StoreError('unavailable', 'gone');
    const read = await samples(service, 'connectorctl_');
    expect(read).to.include({connectorctl_store_ready: 0});
    expect(Object.keys(read).join()).not.to.match(/connectors\{|store_bytes/);
    service.store.failure = undefined;
    service.elapsed += 15_000;
    expect(await samples(service, 'connectorctl_store_')).to.include({
      connectorctl_store_ready: 1,
      connectorctl_store_bytes: 1024,
    });
  });

  it('name no organization, connector, key, token or address', async () => {
    const {service} = suite;
    const key = await service.addKey('umbrella');
    const address = '192.0.2.77';
    const {id, key: connectorKey} = await service.connector('web-77', {key, address});
    await service.call('heartbeat', {id, key: connectorKey, address});
    await service.call('get', {id, key, address});
    const [{id: keyId} = {id: ''}] = await service.store.listApiKeys();
    const {payload} = await service.send({method: 'GET', url: '/metrics'});
    for (const word of ['umbrella', 'web-77', id, keyId, key, connectorKey, address, 'act_']) {
      expect(payload).not.to.include(word);
    }
  });

  it('get no new series from what strangers send', async () => {
    const {service} = suite;
    await service.send({method: 'PROPFIND', url: '/a'});
    await samples(service);
    const before = Object.keys(await samples(service));
    for (const method of ['MKCOL', 'REPORT', 'SEARCH']) {
      await service.send({method, url: `/${method}`});
    }
    expect(Object.keys(await samples(service))).to.deep.equal(before);
  });

  it('include those of the process on request', async () => {
    const metrics = new Metrics();
    metrics.measureProcess();
    expect(await metrics.read()).to.include('nodejs_eventloop_lag_seconds');
  });
});

describe('access to the metrics', () => {
  const read = async (
    options: ConstructorParameters<typeof Service>[0],
    remoteAddress: string,
    headers: Record<string, string> = {},
  ) => {
    const service = await new Service(options).start();
    const response = await service.send({method: 'GET', url: '/metrics', remoteAddress, headers});
    return response.statusCode;
  };

  const named = {metricsAllow: ['192.0.2.0/24']};
  const behindProxy = {trustProxy: ['127.0.0.1'], metricsAllow: ['192.0.2.1']};
  for (const [options, address, headers, status] of [
    [{}, '127.0.0.1', {}, 200],
    [{}, '::1', {}, 200],
    [{}, '192.0.2.1', {}, 404],
    [named, '192.0.2.1', {}, 200],
    [named, '127.0.0.1', {}, 404],
    [behindProxy, '127.0.0.1', {'x-forwarded-for': '192.0.2.1'}, 200],
    [behindProxy, '127.0.0.1', {'x-forwarded-for': '192.0.2.2'}, 404],
  ] as const) {
    it(`has the status ${status} for ${address} ${Object.values(headers)} with ${JSON.stringify(options)}`, async () => {
      expect(await read(options, address, headers)).to.equal(status);
    });
  }

  it('decides whether the path exists: for others it is unknown with any method', async () => {
    const service = await new Service().start();
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const options = {method, url: '/%6detrics', remoteAddress: '192.0.2.1'};
      const response = await service.send(options);
      expect(response.statusCode, method).to.equal(404);
      expect(response.headers).not.to.have.property('allow');
    }
  });

  for (const header of [
    'x-forwarded-for',
    'x-forwarded-host',
    'forwarded',
    'via',
    'x-real-ip',
    'true-client-ip',
  ]) {
    it(`is refused to an untrusted proxy on this machine (${header})`, async () => {
      expect(await read({}, '127.0.0.1', {[header]: '192.0.2.1'})).to.equal(404);
      expect(await read({}, '127.0.0.1', {[header]: '127.0.0.1'})).to.equal(404);
    });
  }
});
