import {expect} from 'chai';
import {StoreError} from '../../../src/store/store.js';
import {keepingLog} from '../../support/server/logs.js';
import {Service} from '../../support/server/service.js';

describe('the request log', () => {
  let service: Service;
  let lines: Service['lines'];
  beforeEach(async () => {
    service = await new Service().start();
    lines = service.lines;
  });

  const requests = () =>
    lines.filter(({message}) => message === 'request').map(({fields}) => fields);

  it('has one line per request, without secrets', async () => {
    const {id, key} = await service.connector();
    await service.call('heartbeat', {id, key});
    await service.call('list', {query: '?limit=1'});
    await service.call('get', {id, key: null});
    const logged = requests().map(({method, route, status}) => `${method} ${route} ${status}`);
    expect(logged).to.deep.equal([
      'POST /api/connectors/create-token 201',
      'POST /api/connectors/activate 201',
      'POST /api/connectors/:id/heartbeat 200',
      'GET /api/connectors 200',
      'GET /api/connectors/:id 401',
    ]);
    expect(JSON.stringify(lines)).not.to.match(/act_|ck_/);
  });

  it('has the request id of the response, the organization and the id of its key', async () => {
    const response = await service.call('list');
    const {level, fields} = lines[0]!;
    const [record] = await service.store.listApiKeys();
    expect(level).to.equal('info');
    expect(fields).to.include({
      request_id: response.headers['x-request-id'],
      organization: 'default',
      key_id: record?.id,
    });
    expect(fields['milliseconds']).to.be.a('number');
    expect(fields['aborted']).to.equal(undefined);
  });

  it('has heartbeats that succeed at the level debug, and those that fail at info, or at warn where a machine may be lost', async () => {
    const {id, key} = await service.connector();
    await service.call('heartbeat', {id, key});
    const {id: other} = await service.connector();
    await service.call('heartbeat', {id: 'con_x', key});
    await service.call('heartbeat', {id, key: 'cck_x'});
    await service.call('heartbeat', {id: other, key});
    await service.call('heartbeat', {id: `con_${'0'.repeat(26)}`});
    const beats = lines.filter(({fields}) => String(fields['route']).endsWith('/heartbeat'));
    expect(beats.map(({level, fields}) => [level, fields['status']])).to.deep.equal([
      ['debug', 200],
      ['info', 401],
      ['info', 401],
      ['warn', 401],
      ['warn', 404],
    ]);
  });

  it('has the address of the caller, and the connector once its key is proven', async () => {
    const {id, key} = await service.connector();
    await service.call('heartbeat', {id, key, address: '192.0.2.7'});
    await service.call('heartbeat', {id: `${id}x`, key});
    const [, activation, heartbeat, stranger] = requests();
    expect(activation).to.include({remote_address: '127.0.0.1', connector_id: id, status: 201});
    expect(heartbeat).to.include({remote_address: '192.0.2.7', connector_id: id});
    expect(stranger).to.include({status: 401, code: 'key_unknown'});
    expect(stranger?.['connector_id']).to.equal(undefined);
  });

  it('has the id of a refused heartbeat if it can be one, and no other text of a path', async () => {
    const {id, key} = await service.connector();
    const {id: other} = await service.connector();
    await service.call('heartbeat', {id: other, key});
    await service.call('heartbeat', {id, key: 'cck_x'});
    await service.call('heartbeat', {id: 'a-password', key});
    await service.call('heartbeat', {id, key});
    await service.call('get', {id: other, key});
    const refused = requests().slice(4);
    expect(refused.map(({status, refused_id}) => [status, refused_id])).to.deep.equal([
      [401, other],
      [401, id],
      [401, undefined],
      [200, undefined],
      [401, undefined],
    ]);
    expect(JSON.stringify(lines)).not.to.include('a-password');
  });

  it('has the code of a refusal', async () => {
    await service.call('list');
    await service.call('get', {id: 'con_none'});
    await service.call('activate', {body: {token: 'act_x', name: 'x'}});
    await service.call('activate', {body: {token: 'act_x'}});
    await service.send({method: 'GET', url: '/nowhere'});
    service.store.failure = new StoreError('full', 'no room');
    await service.call('list');
    expect(requests().map(({status, code}) => [status, code])).to.deep.equal([
      [200, undefined],
      [404, 'connector_unknown'],
      [400, 'token_malformed'],
      [400, 'request_invalid'],
      [404, 'route_unknown'],
      [507, 'store_full'],
    ]);
  });

  it('has only errors above the info level', async () => {
    const quiet = keepingLog(false);
    service = await new Service({log: quiet.log}).start();
    await service.call('list');
    expect(quiet.lines).to.deep.equal([]);
    service.store.findApiKey = () => Promise.reject(new Error('why'));
    const response = await service.call('list');
    expect(quiet.lines).to.have.length(1);
    const {level, fields, message} = quiet.lines[0]!;
    expect([level, message]).to.deep.equal(['error', 'internal']);
    expect(fields['request_id']).to.equal(response.headers['x-request-id']);
    expect(fields['err']).to.include({message: 'why'});
  });
});
