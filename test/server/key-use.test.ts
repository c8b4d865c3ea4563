import {expect} from 'chai';
import {StoreError} from '../../src/store/store.js';
import {eachWithService} from '../support/server/service.js';

const minute = 60_000;

describe('the last use of an API key', () => {
  const suite = eachWithService();

  const lastUses = async () => {
    // A request does not wait for its record, but the next write does.
    await suite.service.store.recordKeyUse('key_unknown', 0);
    return (await suite.service.store.listApiKeys()).map(({lastUsedAt}) => lastUsedAt);
  };

  it('is recorded at most once a minute', async () => {
    const {service} = suite;
    await service.addKey('other');
    const first = service.time;
    expect(await lastUses()).to.deep.equal([null, null]);
    await service.call('list');
    expect(await lastUses()).to.deep.equal([first, null]);
    service.time = first + minute - 1;
    await service.call('list');
    expect(await lastUses()).to.deep.equal([first, null]);
    service.time = first + minute;
    await service.call('createToken');
    expect(await lastUses()).to.deep.equal([first + minute, null]);
  });

  it('is written once for many simultaneous requests', async () => {
    const {service} = suite;
    let written = 0;
    const record = service.store.recordKeyUse.bind(service.store);
    service.store.recordKeyUse = async (...use) => {
      written += 1;
      await record(...use);
    };
    await Promise.all(Array.from({length: 20}, () => service.call('list')));
    expect(written).to.equal(1);
  });

  it('does not change for a refused key', async () => {
    const {service} = suite;
    const key = await service.addKey('other', {expiresAt: service.time + 1});
    service.time += 1;
    expect((await service.call('list', {key})).statusCode).to.equal(401);
    expect(await lastUses()).to.deep.equal([null, null]);
  });

  it('delays and fails no request when it cannot be written', async () => {
    const {service} = suite;
    service.store.recordKeyUse = () => Promise.reject(new StoreError('full', 'no space'));
    expect((await service.call('list')).statusCode).to.equal(200);
    service.store.recordKeyUse = () => new Promise(() => undefined);
    service.time += minute;
    expect((await service.call('list')).statusCode).to.equal(200);
  });
});
