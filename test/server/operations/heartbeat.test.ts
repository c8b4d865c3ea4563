import {expect} from 'chai';
import {limits} from '../../../src/contract/index.js';
import {eachWithService, refusal} from '../../support/server/service.js';

describe('heartbeat', () => {
  const suite = eachWithService();

  it('returns when it was recorded and when the next one is due', async () => {
    const {service} = suite;
    const {id, key} = await service.connector();
    service.time += 5000;
    const response = await service.call('heartbeat', {id, key});
    expect(response.statusCode).to.equal(200);
    expect(response.json()).to.deep.equal({
      id,
      status: 'online',
      last_heartbeat_at: '2026-01-01T00:00:05.000Z',
      next_heartbeat_seconds: 60,
    });
    const seen = await service.call('get', {id});
    expect(seen.json().last_heartbeat_at).to.equal('2026-01-01T00:00:05.000Z');
  });

  for (const body of ['', '{}', '{"status": 7}', 'not JSON', '[', '\u0000', '"\\ud800"', 'ü']) {
    it(`ignores the body ${JSON.stringify(body)}`, async () => {
      const {id, key} = await suite.service.connector();
      for (const type of ['application/json', 'application/octet-stream', ';']) {
        const headers = {'content-type': type};
        const response = await suite.service.call('heartbeat', {id, key, body, headers});
        expect(response.statusCode).to.equal(200);
      }
    });
  }

  it('limits the size of the body that it ignores', async () => {
    const {id, key} = await suite.service.connector();
    const most = 'x'.repeat(limits.bodyBytes);
    expect((await suite.service.call('heartbeat', {id, key, body: most})).statusCode).to.equal(200);
    const more = await suite.service.call('heartbeat', {id, key, body: `${most}x`});
    expect(refusal(more)).to.deep.equal([413, 'body_too_large']);
  });

  it('refuses the key of a connector once it is revoked, and records nothing', async () => {
    const {service} = suite;
    const {id, key} = await service.connector();
    await service.store.revokeConnector(id, service.time, null);
    expect(refusal(await service.call('heartbeat', {id, key}))).to.deep.equal([401, 'key_revoked']);
    expect(refusal(await service.call('get', {id, key}))).to.deep.equal([401, 'key_revoked']);
    expect((await service.call('get', {id})).json()).to.include({
      status: 'revoked',
      last_heartbeat_at: null,
    });
    const byOrganization = await service.call('heartbeat', {id});
    expect(byOrganization.json()).to.include({status: 'revoked'});
    expect((await service.call('list')).json()).to.deep.equal([
      (await service.call('get', {id})).json(),
    ]);
  });
});

describe('heartbeat of a service with another interval', () => {
  const suite = eachWithService({heartbeatInterval: 10});

  it('returns that interval and derives the status from it', async () => {
    const {service} = suite;
    const {id} = await service.connector();
    const response = await service.call('heartbeat', {id});
    expect(response.json().next_heartbeat_seconds).to.equal(10);
    service.time += 50_000;
    expect((await service.call('get', {id})).json().status).to.equal('stale');
  });
});
