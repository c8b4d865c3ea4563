import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {removalBatch} from '../../../src/domain/removal.js';
import {runChild, startChild} from '../../support/child.js';
import {listAll, sampleApiKey} from '../../support/store/samples.js';
import {StoreDatabase} from './fixture.js';

const connectors = 10_000;

/** Connectors as a fleet of test runners leaves them. */
const fleet = `
  INSERT INTO connectors (id, organization, name, key_hash, activated_at)
    SELECT 'con_' || number, 'acme', 'runner', 'key ' || number, 0
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

  const countLeft = async () => {
    const [row] = await fixture.database.query<{left: number}>(
      'SELECT count(*)::int AS left FROM connectors',
    );
    return row!.left;
  };

  it('that is killed at any moment removes whole batches, and the next one the rest', async () => {
    const words = ['store', 'remove', '--name', 'runner', '--yes', '--store', fixture.database.url];
    let left = await countLeft();
    for (const batches of [1, 4, 9]) {
      const {process: child, ended} = startChild(words);
      while ((await countLeft()) > left - batches * removalBatch) await delay(1);
      child.kill('SIGKILL');
      await ended;
      left = await countLeft();
      expect(left % removalBatch).to.equal(0);
    }
    expect(left).to.be.above(0);
    expect((await runChild(words)).code).to.equal(0);
    expect(await countLeft()).to.equal(0);
    const store = await fixture.open();
    expect(await listAll(store, 'acme')).to.deep.equal([]);
    await store.close();
  });
});
