import {expect} from 'chai';
import type {SandboxFleet, SandboxStatus} from '../../../src/contract/sandbox.js';
import {sandboxRoutes} from '../../../src/contract/sandbox.js';
import {open, parseResponse, readAll} from '../../support/server/raw-http.js';
import {eachWithSandbox, json} from '../../support/server/sandbox.js';
import {eachWithService} from '../../support/server/service.js';

describe('a sandbox', () => {
  const suite = eachWithSandbox();
  const advance = (seconds: number) => suite.sandbox.control<SandboxStatus>('advance', {seconds});
  const activate = async (name = 'web-1') => {
    const {token} = await json(suite.sandbox.call('createToken'));
    return json(suite.sandbox.call('activate', {body: {token, name}}));
  };
  const statusOf = async (id: string) => (await json(suite.sandbox.call('get', {id}))).status;

  it('shows expiry, stale, offline and recovery of a connector without waiting', async () => {
    const {token} = await json(suite.sandbox.call('createToken'));
    const {id} = await activate();
    expect(await statusOf(id)).to.equal('never');
    await suite.sandbox.call('heartbeat', {id});
    expect(await statusOf(id)).to.equal('online');
    await advance(300);
    expect(await statusOf(id)).to.equal('stale');
    await advance(600);
    expect(await statusOf(id)).to.equal('offline');
    await suite.sandbox.call('heartbeat', {id});
    expect(await statusOf(id)).to.equal('online');
    await advance(180);
    const late = await suite.sandbox.call('activate', {body: {token, name: 'late'}});
    expect([late.status, (await json(late)).code]).to.deep.equal([410, 'token_expired']);
  });

  it('sends its virtual time and the sandbox header with every response, also for an unknown path', async () => {
    const {url} = suite.sandbox;
    await advance(90);
    const time = 'Tue, 01 Jan 2030 00:01:30 GMT';
    for (const path of ['/healthz', '/api/connectors', '/nowhere', '/_sandbox/status', '/%']) {
      const {headers} = await fetch(url + path);
      expect(headers.get('connectorctl-clock'), path).to.equal('virtual');
      expect(headers.get('date'), path).to.equal(time);
    }
  });

  it('makes connectors in any mix of states', async () => {
    const fleet = await suite.sandbox.control<SandboxFleet>('createFleet', {
      count: 20,
      stale: 4,
      offline: 3,
      never: 2,
      revoked: 1,
    });
    const connectors = {never: 2, online: 10, stale: 4, offline: 3, revoked: 1};
    expect(fleet).to.deep.equal({organization: 'default', connectors});
    const listed: {status: string; name: string}[] = await json(suite.sandbox.call('list'));
    expect(listed.map(({name}) => name).sort()).to.deep.equal(
      Array.from({length: 20}, (_, index) => `fleet-${String(index + 1).padStart(6, '0')}`),
    );
    for (const [status, count] of Object.entries(connectors)) {
      expect(
        listed.filter((one) => one.status === status),
        status,
      ).to.have.length(count);
    }
  });

  it('makes API keys of other organizations', async () => {
    await activate();
    const {api_key} = await suite.sandbox.control<{api_key: string}>('createKey', {
      organization: 'other',
    });
    const response = await fetch(`${suite.sandbox.url}/api/connectors`, {
      headers: {'x-api-key': api_key},
    });
    expect([response.status, await json(response)]).to.deep.equal([200, []]);
  });

  it('makes connectors with names, in the order of the states, and generated names after them', async () => {
    const names = ['web-1', 'web-1', 'Ünicode 2'];
    await suite.sandbox.control('createFleet', {names, count: 1, never: 1, revoked: 1});
    const listed: {status: string; name: string}[] = await json(suite.sandbox.call('list'));
    expect(listed.map(({name, status}) => [name, status])).to.have.deep.members([
      ['web-1', 'never'],
      ['web-1', 'online'],
      ['Ünicode 2', 'online'],
      ['fleet-000001', 'revoked'],
    ]);
  });

  for (const [what, body, path] of [
    ['neither a number nor names', {}, '/count'],
    ['an empty name', {names: ['']}, '/names/0'],
    ['parts that exceed its total', {count: 2, offline: 3}, '/count'],
  ] as const) {
    it(`refuses a fleet with ${what}`, async () => {
      const message = await suite.sandbox
        .control('createFleet', body)
        .catch((error: Error) => error.message);
      expect(JSON.parse(String(message)).errors[0].path).to.equal(path);
    });
  }

  it('loses connectors, tokens and faults on a reset, and keeps keys and time', async () => {
    const {token} = await json(suite.sandbox.call('createToken'));
    const {id} = await activate();
    await suite.sandbox.control('addFault', {spec: 'get:503'});
    await advance(60);
    expect(await suite.sandbox.control('reset')).to.deep.include({
      now: '2030-01-01T00:01:00.000Z',
      connectors: {never: 0, online: 0, stale: 0, offline: 0, revoked: 0},
      faults: 0,
    });
    expect((await suite.sandbox.call('get', {id})).status).to.equal(404);
    const unknown = await suite.sandbox.call('activate', {body: {token, name: 'web-1'}});
    expect((await json(unknown)).code).to.equal('token_unknown');
    expect((await activate()).status).to.equal('never');
  });

  it('refuses to advance its clock beyond the year 9990', async () => {
    const tenYears = 10 * 365 * 24 * 60 * 60;
    const error = await advance(tenYears * 1000).catch((cause: Error) => cause.message);
    expect(error).to.include('ends with the year 9989');
    expect(await suite.sandbox.control('status')).to.deep.include({
      now: '2030-01-01T00:00:00.000Z',
    });
  });
});

describe('a sandbox with a control token', () => {
  const token = 'control-token-0123456789';
  const suite = eachWithSandbox({seed: 1, controlToken: token, host: '127.0.0.2'});
  const authorization = `Bearer ${token}`;
  const codeOf = async (method: string, path: string, headers: Record<string, string>) => {
    const fields = Object.entries({...headers, connection: 'close'});
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const text = await readAll(
      open(suite.sandbox.url, `${method} ${path} HTTP/1.1\r\n${head}\r\n`),
    );
    const {status, body} = parseResponse(text);
    return status === 200 ? 200 : JSON.parse(body).code;
  };

  for (const host of ['sandbox.test', 'SANDBOX.TEST:80', '127.0.0.2']) {
    it(`is controlled under the host ${host} with the token`, async () => {
      expect(await codeOf('GET', '/_sandbox/status', {host, authorization})).to.equal(200);
    });
  }

  for (const [what, headers, code] of [
    ['without the token', {}, 'key_missing'],
    ['with the token in another scheme', {authorization: `Basic ${token}`}, 'key_missing'],
    ['with another token', {authorization: `${authorization}x`}, 'key_unknown'],
    ['with the start of the token', {authorization: authorization.slice(0, -1)}, 'key_unknown'],
    ['from a page', {authorization, origin: 'http://sandbox.test'}, 'route_unknown'],
    [
      'from a page without an origin',
      {authorization, 'sec-fetch-site': 'same-origin'},
      'route_unknown',
    ],
    ['through a proxy', {authorization, 'x-forwarded-for': '203.0.113.7'}, 'route_unknown'],
  ] as const) {
    it(`cannot be controlled ${what}`, async () => {
      for (const {method, path} of Object.values(sandboxRoutes)) {
        const sent = {host: 'sandbox.test', ...headers};
        expect(await codeOf(method, path, sent), `${method} ${path}`).to.equal(code);
      }
    });
  }

  it('does not accept an API key as the token', async () => {
    const headers = {host: 'sandbox.test', authorization: `Bearer ${suite.sandbox.key}`};
    expect(await codeOf('GET', '/_sandbox/status', headers)).to.equal('key_unknown');
  });
});

describe('a service that is not a sandbox', () => {
  const suite = eachWithService();

  it('has no control route, no header of a sandbox, and does not describe them', async () => {
    for (const {method, path} of Object.values(sandboxRoutes)) {
      const {statusCode, headers} = await suite.service.send({
        method,
        url: path,
        headers: {authorization: `Bearer ${suite.service.key}`},
      });
      expect(statusCode, path).to.equal(404);
      expect(headers).not.to.have.property('connectorctl-clock');
    }
    const {payload} = await suite.service.send({method: 'GET', url: '/openapi.json'});
    expect(payload).not.to.match(/sandbox/i);
  });
});
