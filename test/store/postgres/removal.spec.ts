import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {removalBatch} from '../../../src/domain/removal.js';
import {runChild, startChild} from '../../support/child.js';
import {listAll, sampleApiKey} from '../../support/store/samples.js';
import {StoreDatabase} from './fixture.js';

const connectors = 10_000;

/** Connectors as a fleet of test runners leaves them, and the used tokens of them. */
const fleet = `
  INSERT INTO connectors (id, organization, name, key_hash, activated_at)
    SELECT 'con_' || number, 'acme', 'runner', 'key ' || number, 0
    FROM generate_series(1, ${connectors}) AS number;
  INSERT INTO activation_tokens (hash, organization, created_at, expires_at, redeemed_at, connector_id)
    SELECT 'token ' || number, 'acme', 0, 4e12, 0, 'con_' || number
    FROM generate_series(1, ${connectors}) AS number`;

describe('store remove on PostgreSQL', () => {
  let fixture: StoreDatabase;

  beforeEach(async () => {
    fixture = await StoreDatabase.make();
    const store = await fixture.open();
    await store.createApiKey(sampleApiKey());
    await store.close();
    await fixture.database.query(fleet);
  });
  afterEach(() => fixture.cleanup());

  /** Connectors that are left, and used tokens that still name a connector. */
  const count = async () => {
    const [row] = await fixture.database.query<{left: number; named: number; orphans: number}>(
      `SELECT (SELECT count(*)::int FROM connectors) AS left,
         (SELECT count(*)::int FROM activation_tokens WHERE connector_id <> '') AS named,
         (SELECT count(*)::int FROM activation_tokens AS t WHERE connector_id <> ''
          AND NOT EXISTS (SELECT FROM connectors AS c WHERE c.id = t.connector_id)) AS orphans`,
    );
    return row!;
  };

  it('that is killed at any moment removes whole batches with their tokens, and the next one the rest', async () => {
    const words = ['store', 'remove', '--name', 'runner', '--yes', '--store', fixture.database.url];
    let {left} = await count();
    for (const batches of [1, 4, 9]) {
      const {process: child, ended} = startChild(words);
      while ((await count()).left > left - batches * removalBatch) await delay(1);
      child.kill('SIGKILL');
      await ended;
      const after = await count();
      expect(after).to.include({named: after.left, orphans: 0});
      expect(after.left % removalBatch).to.equal(0);
      left = after.left;
    }
    expect(left).to.be.above(0);
    expect((await runChild(words)).code).to.equal(0);
    expect(await count()).to.deep.equal({left: 0, named: 0, orphans: 0});
    const store = await fixture.open();
    expect(await listAll(store, 'acme')).to.deep.equal([]);
    await store.close();
  });
});
