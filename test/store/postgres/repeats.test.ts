import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import type {Store} from '../../../src/store/store.js';
import {
  activate,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
} from '../../support/store/samples.js';
import {StoreDatabase} from './fixture.js';

/**
 * A call that is made twice, and the tables whose rows the second one writes. A server that restarts shows
 * commits that were waiting for a synchronous standby, so an answer from a read may be lost with the server.
 */
const repeats: Readonly<
  Record<
    string,
    readonly [tables: readonly string[], prepare: (store: Store) => Promise<() => Promise<unknown>>]
  >
> = {
  'creates a token': [
    ['activation_tokens'],
    async (store) => {
      const token = sampleToken();
      return () => store.createToken(token);
    },
  ],
  'creates an API key': [
    ['api_keys'],
    async (store) => {
      const key = sampleApiKey();
      return () => store.createApiKey(key);
    },
  ],
  'creates the first API key': [
    ['api_keys'],
    async (store) => {
      const key = sampleApiKey();
      return () => store.createFirstApiKey(key);
    },
  ],
  'redeems a token for the same connector': [
    ['activation_tokens', 'connectors'],
    async (store) => {
      const token = sampleToken();
      await store.createToken(token);
      const attempt = sampleAttempt(token);
      return () => store.redeemToken(attempt);
    },
  ],
  'redeems a token with the same Idempotency-Key': [
    ['activation_tokens', 'connectors'],
    async (store) => {
      const token = sampleToken();
      await store.createToken(token);
      return () => store.redeemToken(sampleAttempt(token, {idempotencyHash: hashSecret('once')}));
    },
  ],
  'redeems a token for a new key with the same Idempotency-Key': [
    ['activation_tokens', 'connectors'],
    async (store) => {
      const reissue = sampleReissue((await activate(store)).id);
      await store.reissueToken(reissue);
      return () => store.redeemToken(sampleAttempt(reissue, {idempotencyHash: hashSecret('once')}));
    },
  ],
  'removes a connector': [
    ['store_info'],
    async (store) => {
      const {id} = await activate(store);
      return () => store.removeConnectors([id], null);
    },
  ],
};

describe('a PostgreSQL store that repeats an acknowledged change', () => {
  let fixture: StoreDatabase;
  let store: Store;

  beforeEach(async () => {
    fixture = await StoreDatabase.make();
    store = await fixture.open();
  });

  afterEach(async () => {
    await store.close();
    await fixture.cleanup();
  });

  for (const [name, [tables, prepare]] of Object.entries(repeats)) {
    it(`writes each row again, and so waits for a standby again, when it ${name}`, async () => {
      const change = await prepare(store);
      await change();
      /** The latest transactions that wrote rows. */
      const writers = async () => {
        const rows = tables.map((table) =>
          fixture.database.query(`SELECT max(xmin::text::bigint) AS latest FROM ${table}`),
        );
        return (await Promise.all(rows)).map(([row]) => row?.['latest']);
      };
      const first = await writers();
      await change();
      const second = await writers();
      for (const [index, writer] of second.entries()) expect(writer).not.to.equal(first[index]);
    });
  }
});
