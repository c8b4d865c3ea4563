import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {limits, type ProblemCode, problems} from '../../../src/contract/index.js';
import {formatSecret} from '../../../src/domain/secret.js';
import {toProblem} from '../../../src/server/http/problems.js';
import {StoreError} from '../../../src/store/store.js';
import {createGate} from '../../support/server/gate.js';
import {keepingLog} from '../../support/server/logs.js';
import {type CallOptions, Service} from '../../support/server/service.js';

const otherToken = formatSecret('activationToken', new Uint8Array(32));
const otherKey = formatSecret('organizationKey', new Uint8Array(32));

/** A response of `inject`. */
interface Response {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

type Provocation = (service: Service) => Promise<Response>;

/** How to provoke each problem; the type covers them all. */
const provocations: {readonly [code in ProblemCode]: Provocation} = {
  body_malformed: call('createToken', {body: '{'}),
  request_invalid: call('createToken', {body: '[]'}),
  token_malformed: call('activate', {body: {token: 'act_x', name: 'x'}}),
  key_missing: call('list', {key: null}),
  key_malformed: call('list', {key: 'ck_x'}),
  key_unknown: call('list', {key: otherKey}),
  async key_revoked(service) {
    const [record] = await service.store.listApiKeys();
    await service.store.revokeApiKey(record?.id ?? '', service.time, null);
    return call('list')(service);
  },
  async key_expired(service) {
    const key = await service.addKey('default', {expiresAt: service.time + 1});
    service.time += 1;
    return call('list', {key})(service);
  },
  token_unknown: call('activate', {body: {token: otherToken, name: 'x'}}),
  key_forbidden: async (service) => call('list', {key: (await service.connector()).key})(service),
  async key_read_only(service) {
    const key = await service.addKey('default', {access: 'read'});
    return call('createToken', {key})(service);
  },
  connector_unknown: call('get', {id: 'x'}),
  async no_api_key(service) {
    service.store.state.apiKeys.clear();
    return send('GET', '/readyz')(service);
  },
  route_unknown: send('GET', '/nowhere'),
  method_not_allowed: send('DELETE', '/api/connectors'),
  async token_used(service) {
    const body = {token: await service.token(), name: 'x'};
    await service.call('activate', {body});
    return call('activate', {body})(service);
  },
  async token_expired(service) {
    const body = {token: await service.token({body: {ttl_seconds: 60}}), name: 'x'};
    service.time += 60_000;
    return call('activate', {body})(service);
  },
  body_too_large: call('createToken', {body: 'x'.repeat(17_000)}),
  uri_too_long: call('get', {id: 'x'.repeat(2000)}),
  async rate_limited(service) {
    const options = {body: {token: 'act_x', name: 'x'}};
    for (let count = 0; count < 10; count += 1) await service.call('activate', options);
    return call('activate', options)(service);
  },
  async internal(service) {
    service.store.findApiKey = () => Promise.reject(new Error('secret words'));
    return call('list')(service);
  },
  async overloaded() {
    const service = await new Service({maxEventLoopDelay: Number.MIN_VALUE}).start();
    // The lag is measured once a second, and is never zero.
    for (;;) {
      const response = await call('list')(service);
      if (response.status !== 200) return response;
      await delay(10);
    }
  },
  async audit_unavailable() {
    const log = Object.assign(keepingLog().log, {hasRoom: () => false});
    return call('createToken')(await new Service({log}).start());
  },
  store_unavailable: withStoreFailure('unavailable'),
  stopping: withStoreFailure('closed'),
  async too_many_lists(service) {
    const read = createGate();
    service.store.listConnectors = async function* () {
      await read.wait();
      yield [];
    };
    const lists = Array.from({length: limits.organization.lists}, () => service.call('list'));
    const refused = await call('list')(service);
    read.release();
    await Promise.all(lists);
    return refused;
  },
  store_full: withStoreFailure('full'),
  async too_many_tokens(service) {
    service.store.createToken = async () => false;
    return call('createToken')(service);
  },
  async too_many_connectors(service) {
    service.store.redeemToken = async () => ({outcome: 'full'});
    return call('activate', {body: {token: otherToken, name: 'x'}})(service);
  },
};

describe('the response to the problem', () => {
  let service: Service;
  beforeEach(async () => {
    service = await new Service().start();
  });

  for (const code of Object.keys(problems) as ProblemCode[]) {
    it(`${code} has the status and title of the contract`, async () => {
      const {status, headers, body} = await provocations[code](service);
      const expected = problems[code];
      const document = JSON.parse(body);
      expect(document.code).to.equal(code);
      expect(status).to.equal(expected.status);
      expect(document).to.include({status: expected.status, title: expected.title});
      expect(document.type).to.equal(`urn:connectorctl:problem:${code}`);
      expect(headers['content-type']).to.match(/^application\/problem\+json/);
      expect(headers['x-request-id']).to.equal(document.request_id);
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers).to.include.keys('date', 'content-length', 'x-content-type-options');
      if (status === 401) expect(headers['www-authenticate']).to.equal('Bearer');
      if (status === 503 || status === 429) expect(headers['retry-after']).to.match(/^\d+$/);
      if (status === 405) expect(headers['allow']).to.match(/^GET/);
      expect(body).not.to.include('secret words');
    });
  }
});

describe('an error of Fastify that has no entry in the table', () => {
  const problemOf = (statusCode: unknown) =>
    toProblem(Object.assign(new Error('x'), {code: 'FST_ERR_NEW', statusCode})).code;

  it('is the fault of the request when its status says so, and otherwise of the service', () => {
    expect([400, 415, 499].map(problemOf)).to.deep.equal(Array(3).fill('request_invalid'));
    expect([399, 500, 503, '400', undefined].map(problemOf)).to.deep.equal(
      Array(5).fill('internal'),
    );
  });
});

describe('an unexpected error', () => {
  for (const error of [new Error('x'), 'text', null, undefined, {code: 7}, Object.create(null)]) {
    it(`that is ${String(Object.prototype.toString.call(error))} becomes internal`, () => {
      expect(toProblem(error).code).to.equal('internal');
    });
  }
});

function call(operation: Parameters<Service['call']>[0], options?: CallOptions): Provocation {
  return async (service) => {
    const {statusCode, headers, payload} = await service.call(operation, options);
    return {status: statusCode, headers, body: payload};
  };
}

function send(method: string, url: string): Provocation {
  return async (service) => {
    const {statusCode, headers, payload} = await service.send({method, url});
    return {status: statusCode, headers, body: payload};
  };
}

function withStoreFailure(kind: StoreError['kind']): Provocation {
  return (service) => {
    service.store.failure = new StoreError(kind, 'secret words');
    return call('list')(service);
  };
}
