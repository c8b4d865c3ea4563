import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import type {ConnectorRecord} from '../../../src/domain/records.js';
import type {Store} from '../../../src/store/store.js';
import {UnreliableProxy} from '../../support/network/unreliable-proxy.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, minute, sampleAttempt, sampleToken, start} from '../../support/store/samples.js';
import {openForTest, patient} from './fixture.js';

const scope = {organization: 'acme'};

describe('the statements of a PostgreSQL store', () => {
  let database: TestDatabase;
  let proxy: UnreliableProxy;
  let store: Store;
  let now: number;
  /** The durations that the store reports for its metrics, in seconds. */
  let commits: number[];

  const open = async () => {
    const onWrite = (seconds: number) => void commits.push(seconds);
    const options = {log: new RecordedLog(), now: () => now, onWrite};
    store = await openForTest(proxy.urlFor(database.url), options, patient);
  };

  beforeEach(async () => {
    now = start;
    commits = [];
    database = await makeTestDatabase();
    proxy = await UnreliableProxy.make(database.url);
    await proxy.listen();
    await open();
  });

  /** Activates many connectors at once. */
  const activateMany = (count: number): Promise<ConnectorRecord[]> =>
    Promise.all(Array.from({length: count}, () => activate(store)));

  /** Counts the writes of connectors from now on. */
  const countWrites = async (): Promise<() => Promise<number>> => {
    await database.query(`
      CREATE TABLE writes (id text);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN INSERT INTO writes VALUES (NEW.id); RETURN NEW; END';
      CREATE TRIGGER note AFTER UPDATE ON connectors FOR EACH ROW EXECUTE FUNCTION note()`);
    return async () => (await database.query('SELECT id FROM writes')).length;
  };

  it('report the duration of changes but not of reads', async () => {
    const {id} = await activate(store);
    // The opening, the token, the activation, and beside them the deletion of old tokens.
    while (commits.length < 4) await setImmediate();
    commits.length = 0;
    const startedAt = performance.now();
    await store.recordHeartbeat(id, start + minute, scope);
    await store.check();
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(commits).to.have.length(2);
    for (const seconds of commits) expect(seconds).to.be.within(0, elapsed).and.not.equal(0);
    await store.findConnector(id, scope);
    await store.listApiKeys();
    expect(commits).to.have.length(2);
  });

  it('combine the heartbeats of all concurrent callers', async () => {
    const connectors = await activateMany(300);
    const beats = connectors.map(({id, keyHash}, index) =>
      store.recordHeartbeat(id, start + minute, index % 2 === 0 ? scope : {keyHash}),
    );
    const responses = await Promise.all(beats);
    expect(responses).to.deep.equal(
      connectors.map(({id}) => ({id, lastHeartbeatAt: start + minute, revokedAt: null})),
    );
    expect(proxy.count('recordHeartbeats')).to.equal(1);
  });

  it('never wait for each other in a circle when four processes record the same connectors', async () => {
    const connectors = await activateMany(300);
    const others = await Promise.all(
      [1, 2, 3].map(() =>
        openForTest(proxy.urlFor(database.url), {log: new RecordedLog(), now: () => now}, patient),
      ),
    );
    const before = proxy.count('recordHeartbeats');
    const rounds = 50;
    const beat = async (own: Store) => {
      for (let round = 0; round < rounds; round += 1) {
        const some = [...connectors].sort(() => Math.random() - 0.5).slice(0, 100);
        await Promise.all(some.map(({id}) => own.recordHeartbeat(id, start + round, scope)));
      }
    };
    await Promise.all([store, ...others].map(beat));
    // One statement for each round: PostgreSQL ends one of two sessions in a circle, which then tries again.
    expect(proxy.count('recordHeartbeats') - before).to.equal(4 * rounds);
  });

  it('update a connector once for many simultaneous heartbeats', async () => {
    const {id, keyHash} = await activate(store);
    const writes = await countWrites();
    const times = [3, 9, 4, 1, 9, 2].map((minutes) => start + minutes * minute);
    const responses = await Promise.all(times.map((at) => store.recordHeartbeat(id, at, scope)));
    for (const response of responses)
      expect(response?.lastHeartbeatAt).to.equal(start + 9 * minute);
    expect(await writes()).to.equal(1);
    await store.recordHeartbeat(id, start + 10 * minute, {keyHash});
    expect(await writes()).to.equal(2);
  });

  it('apply the scope of each concurrent caller separately', async () => {
    const {id, keyHash} = await activate(store);
    const at = (minutes: number) => start + minutes * minute;
    const responses = await Promise.all([
      store.recordHeartbeat(id, at(30), {organization: 'umbrella'}),
      store.recordHeartbeat(id, at(2), scope),
      store.recordHeartbeat(id, at(40), {keyHash: 'another'}),
      store.recordHeartbeat(id, at(3), {keyHash}),
      store.findConnector(id, {organization: 'umbrella'}),
    ]);
    expect(responses.map((response) => response?.id)).to.deep.equal([
      undefined,
      id,
      undefined,
      id,
      undefined,
    ]);
    expect((await store.findConnector(id, scope))?.lastHeartbeatAt).to.equal(at(3));
  });

  it('delete tokens an hour after their expiry, used or not', async () => {
    const gone = Array.from({length: 1001}, () => sampleToken({expiresAt: start + minute}));
    const used = sampleToken({expiresAt: start + minute + 1});
    const unused = sampleToken({expiresAt: start + minute + 1});
    // One after the other: the store refuses what waits too long for the database.
    for (const token of [...gone, used, unused]) await store.createToken(token);
    await store.redeemToken(sampleAttempt(used, {at: start}));
    const hashes = async () =>
      (await database.query('SELECT hash FROM activation_tokens')).map(({hash}) => hash).sort();
    for (const [at, left] of [
      [start + 61 * minute + 1, [used.hash, unused.hash].sort()],
      [start + 61 * minute + 2, []],
    ] as const) {
      await store.close();
      now = at;
      await open();
      while ((await hashes()).length > left.length) await store.check();
      expect(await hashes()).to.deep.equal(left);
    }
  });
});
