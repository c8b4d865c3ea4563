import {expect} from 'chai';
import {eachWithService, refusal} from '../../support/server/service.js';

describe('get', () => {
  const suite = eachWithService();

  it('returns the connector', async () => {
    const {service} = suite;
    const {id} = await service.connector('web-1');
    const response = await service.call('get', {id});
    expect(response.statusCode).to.equal(200);
    expect(response.json()).to.deep.equal({
      id,
      name: 'web-1',
      organization: 'default',
      status: 'never',
      activated_at: '2026-01-01T00:00:00.000Z',
      last_heartbeat_at: null,
      identity_shared_at: null,
      starts_last_hour: 0,
    });
  });

  const strangeIds = ['x', 'con_', '..%2f', 'a/b', '%', 'ü', 'con_01M7WC9X5JY2YAPHXVR3EWVDQZ', '🛰'];
  for (const id of strangeIds) {
    it(`returns 404 for ${id}`, async () => {
      const response = await suite.service.call('get', {id});
      expect(refusal(response)).to.deep.equal([404, 'connector_unknown']);
    });
  }

  it('responds to HEAD with the headers alone', async () => {
    const {service} = suite;
    const {id} = await service.connector();
    const headers = {authorization: `Bearer ${service.key}`};
    const url = `/api/connectors/${id}`;
    const full = await service.send({method: 'GET', url, headers});
    const head = await service.send({method: 'HEAD', url, headers});
    expect(head.statusCode).to.equal(200);
    expect(head.payload).to.equal('');
    expect(head.headers['content-length']).to.equal(full.headers['content-length']);
  });
});
