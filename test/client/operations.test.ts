import {inspect} from 'node:util';
import {expect} from 'chai';
import {createClient} from '../../src/client/create-client.js';
import type {Client} from '../../src/client/types.js';
import {all, failure} from '../support/client.js';
import {bytes, inTurn, json, thirdPartyService} from '../support/third-party.js';

const token = {token: 'act_abc', expires_at: '2030-01-01T00:15:00Z'};
/** Options that no method has, as a program in JavaScript may pass them. */
const wrong = (name: string) => ({[name]: 60}) as object;
const connector = {id: 'con_1', name: 'door', status: 'online', last_heartbeat_at: null};

describe('the client', () => {
  it('creates a token without any body', async () => {
    const service = await thirdPartyService(json(token, 201));
    const reading = await createClient({baseUrl: service.url, apiKey: 'k'}).createToken();
    const [seen] = service.seen;
    expect(seen).to.include({method: 'POST', path: '/api/connectors/create-token', body: ''});
    expect(seen?.headers['content-length']).to.equal('0');
    expect(seen?.headers).not.to.have.any.keys('content-type', 'transfer-encoding');
    expect(seen?.headers.authorization).to.equal('Bearer k');
    expect(seen?.headers.accept).to.equal('application/json');
    expect(reading.serverTime).to.be.instanceOf(Date);
    expect(reading.raw).to.deep.equal(token);
  });

  it('keeps what the service sent out of logs and JSON of an activation, where it may hold a key', async () => {
    const service = await thirdPartyService(json({...connector, api_key: 'cck_x'}, 201));
    const client = createClient({baseUrl: service.url});
    const activation = await client.activateConnector({token: 'act_abc', name: 'door'});
    const named = activation.connector!;
    expect(named).to.include({id: 'con_1', name: 'door'});
    for (const text of [
      inspect(named),
      JSON.stringify(named),
      inspect({...activation}.connector),
    ]) {
      expect(text).to.include('con_1').and.not.include('cck_x');
    }
    expect(inspect({...activation, credential: undefined}, {depth: null})).not.to.include('cck_x');
    expect(named.raw).to.include({api_key: 'cck_x'});
    expect(activation.raw).to.include({api_key: 'cck_x'});
  });

  const activation = {token: 'act_abc', name: 'n'};
  const calls: readonly [string, (client: Client) => Promise<unknown>][] = [
    ['createToken has no option ttl; it has ttlSeconds', (one) => one.createToken(wrong('ttl'))],
    ['createToken has no option id; it has signal.', (one) => one.createToken({}, wrong('id'))],
    [
      'activateConnector has no option label; it has token',
      (one) => one.activateConnector({...activation, ...wrong('label')}),
    ],
    [
      'activateConnector has no option body; it has signal.',
      (one) => one.activateConnector(activation, wrong('body')),
    ],
    [
      'listConnectors has no option limit; it has pageSize',
      (one) => all(one.listConnectors(wrong('limit'))),
    ],
    ['all has no option most; it has atMost.', (one) => one.listConnectors().all(wrong('most'))],
    ['getConnector has no option url; it has', (one) => one.getConnector('con_1', wrong('url'))],
    [
      'sendHeartbeat has no option every; it has process',
      (one) => one.sendHeartbeat('con_1', wrong('every')),
    ],
    [
      'keepAlive has no option evry; it has signal, every, isHealthy, onChange, onShared.',
      (one) => one.keepAlive('con_1', wrong('evry')),
    ],
  ];
  for (const [message, call] of calls) {
    it(`rejects an option that a method does not have, and sends nothing: ${message}`, async () => {
      const service = await thirdPartyService(json([]));
      const error = await failure(() => call(createClient({baseUrl: service.url})));
      expect(error).to.include({kind: 'usage', reason: 'option-unknown'});
      expect(error.message).to.include(message);
      expect(service.seen).to.deep.equal([]);
    });
  }

  it('activates with token, name and a new Idempotency-Key', async () => {
    const service = await thirdPartyService(json({...connector, api_key: 'cck_x'}, 201));
    const client = createClient({baseUrl: service.url});
    const reading = await client.activateConnector({token: 'act_abc', name: 'Tür'});
    await client.activateConnector({token: 'act_abc', name: 'Tür', idempotencyKey: 'mine'});
    const [first, second] = service.seen;
    expect(first).to.include({method: 'POST', path: '/api/connectors/activate'});
    expect(JSON.parse(first?.body ?? '')).to.deep.equal({token: 'act_abc', name: 'Tür'});
    expect(first?.headers['idempotency-key']).to.match(/^[0-9a-f-]{36}$/);
    expect(second?.headers['idempotency-key']).to.equal('mine');
    expect(reading.connector).to.include({id: 'con_1', name: 'door', lastHeartbeatAt: null});
    expect(reading.credential).to.deep.equal({field: 'api_key', value: 'cck_x'});
  });

  it('rejects an Idempotency-Key that is not a valid header value', async () => {
    const service = await thirdPartyService(json({}));
    const client = createClient({baseUrl: service.url});
    const activation = {token: 'act_abc', name: 'n', idempotencyKey: 'a\nb'};
    const error = await failure(() => client.activateConnector(activation));
    expect(error).to.include({kind: 'usage'});
    expect(error.message).to.include('Idempotency-Key');
    expect(service.seen).to.deep.equal([]);
  });

  it('requests a list again when it is read again', async () => {
    const service = await thirdPartyService(json([connector]));
    const list = createClient({baseUrl: service.url}).listConnectors();
    expect(await list.all()).to.have.length(1);
    expect(await list.all()).to.have.length(1);
    expect(service.seen).to.have.length(2);
  });

  it('reads long runs of one letter beside a long number in linear time', async () => {
    const body = `{"id":12345678901234567890,"x":"${'#'.repeat(900_000)}"}`;
    const page = `<html>${'<title'.repeat(100_000)}`;
    const {url} = await thirdPartyService(
      inTurn(bytes(body), bytes(page, {'content-type': 'text/html'}, 400)),
    );
    const client = createClient({baseUrl: url});
    expect((await client.getConnector('a')).id).to.equal('12345678901234567890');
    expect((await failure(() => client.getConnector('a'))).status).to.equal(400);
  });

  it('reads a connector with its id percent-encoded', async () => {
    const service = await thirdPartyService(json({...connector, id: 'a/b ?#ü%2e'}));
    const reading = await createClient({baseUrl: service.url}).getConnector('a/b ?#ü%2e');
    expect(service.seen[0]).to.include({
      method: 'GET',
      path: '/api/connectors/a%2Fb%20%3F%23%C3%BC%252e',
    });
    expect(reading.id).to.equal('a/b ?#ü%2e');
  });

  it('sends a heartbeat without any body', async () => {
    const service = await thirdPartyService(json({}));
    await createClient({baseUrl: service.url}).sendHeartbeat('con_1');
    expect(service.seen[0]).to.include({
      method: 'POST',
      path: '/api/connectors/con_1/heartbeat',
      body: '',
    });
    expect(service.seen[0]?.headers).not.to.have.any.keys('content-type', 'transfer-encoding');
  });

  it('sends the API key without a scheme in headers other than Authorization', async () => {
    const service = await thirdPartyService(json([]));
    const options = {baseUrl: service.url, apiKey: 'k'};
    await all(createClient({...options, authHeader: 'X-API-Key'}).listConnectors());
    await all(createClient({...options, authHeader: 'AUTHORIZATION'}).listConnectors());
    expect(service.seen[0]?.headers['x-api-key']).to.equal('k');
    expect(service.seen[0]?.headers).not.to.have.property('authorization');
    expect(service.seen[1]?.headers.authorization).to.equal('Bearer k');
  });

  it('keeps the path prefix of the base URL, with and without a trailing slash', async () => {
    const service = await thirdPartyService(json([]));
    for (const prefix of ['', '/', '/a/b', '/a/b/', '/a%20b//']) {
      await all(createClient({baseUrl: service.url + prefix}).listConnectors());
    }
    expect(service.seen.map(({path}) => path)).to.deep.equal([
      '/api/connectors',
      '/api/connectors',
      '/a/b/api/connectors',
      '/a/b/api/connectors',
      '/a%20b/api/connectors',
    ]);
  });

  it('rejects ids that a URL cannot contain, without a request', async () => {
    const service = await thirdPartyService(json(connector));
    const client = createClient({baseUrl: service.url});
    for (const id of ['', '.', '..', '\ud800', 'a\udc00b', undefined as unknown as string]) {
      expect((await failure(() => client.getConnector(id))).kind).to.equal('usage');
      expect((await failure(() => client.sendHeartbeat(id))).kind).to.equal('usage');
    }
    const empty = await failure(() => client.getConnector(''));
    expect(empty.message).to.include('The id of the connector is empty');
    await client.getConnector('...');
    expect(service.seen.map(({path}) => path)).to.deep.equal(['/api/connectors/...']);
  });
});
