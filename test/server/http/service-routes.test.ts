import {expect} from 'chai';
import {StoreError} from '../../../src/store/store.js';
import {eachWithService, refusal} from '../../support/server/service.js';

describe('the service routes', () => {
  const suite = eachWithService();
  const get = (url: string) => suite.service.send({method: 'GET', url});

  it('/healthz reports the process, regardless of the store', async () => {
    suite.service.store.failure = new StoreError('unavailable', 'gone');
    const response = await get('/healthz');
    expect(response.statusCode).to.equal(200);
    expect(response.json()).to.deep.equal({status: 'ok'});
  });

  it('/readyz reports the store', async () => {
    expect((await get('/readyz')).json()).to.deep.equal({status: 'ok', store_version: 1});
    suite.service.store.failure = new StoreError('unavailable', 'gone');
    expect(refusal(await get('/readyz'))).to.deep.equal([503, 'store_unavailable']);
    suite.service.store.failure = new StoreError('full', 'no room');
    expect(refusal(await get('/readyz'))).to.deep.equal([507, 'store_full']);
    suite.service.store.failure = undefined;
    expect((await get('/readyz')).statusCode).to.equal(200);
  });

  it('/readyz is not ready before the store has an API key, and stays ready when all are revoked', async () => {
    const {service} = suite;
    service.store.state.apiKeys.clear();
    const before = await get('/readyz');
    expect(refusal(before)).to.deep.equal([503, 'no_api_key']);
    expect(before.json().detail).to.equal('The operator must create an API key first.');
    await service.addKey('default');
    expect((await get('/readyz')).statusCode).to.equal(200);
    for (const {id} of await service.store.listApiKeys()) {
      await service.store.revokeApiKey(id, service.time, null);
    }
    expect((await get('/readyz')).statusCode).to.equal(200);
  });
});
