import {expect} from 'chai';
import type {Store} from '../../../src/store/store.js';
import {
  expectKind,
  listAll,
  rejection,
  sampleAttempt,
  sampleToken,
} from '../../support/store/samples.js';
import {StoreDatabase} from './fixture.js';

describe('a statement that the PostgreSQL server rejects', () => {
  let fixture: StoreDatabase;
  let store: Store;

  beforeEach(async () => {
    fixture = await StoreDatabase.make();
    fixture.now = Date.now();
    store = await fixture.open({timeLimits: {patience: 1000}});
  });

  afterEach(async () => {
    await store.close();
    await fixture.cleanup();
  });

  for (const [name, sqlState] of [
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
  ] as const) {
    it(`is retried after ${name}, and takes effect once`, async () => {
      const token = sampleToken();
      await store.createToken(token);
      await fixture.refuse('connectors', sqlState, 4);
      const attempt = sampleAttempt(token);
      expect((await store.redeemToken(attempt)).outcome).to.equal('redeemed');
      expect(await fixture.countTries()).to.equal(5);
      const listed = (await listAll(store, 'acme')).map(({id}) => id);
      expect(listed).to.deep.equal([attempt.connector.id]);
    });
  }

  it('fails with a transient error when the retries are exhausted', async () => {
    await fixture.refuse('activation_tokens', '40001', 1_000_000);
    const error = await rejection(store.createToken(sampleToken()));
    expect(expectKind(error, 'unavailable').message).to.include('not now (SQLSTATE 40001)');
    expect(await fixture.countTries()).to.be.above(2);
    expect(fixture.log.messages).to.deep.equal(['store migrated']);
  });

  it('is not retried when a connection pooler has lost its prepared statement', async () => {
    await fixture.refuse('activation_tokens', '26000', 1_000_000);
    const error = await rejection(store.createToken(sampleToken()));
    expect(expectKind(error, 'misconfigured').message).to.match(/pooler/);
    expect(await fixture.countTries()).to.equal(1);
  });
});
