import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import type {TimeLimits} from '../../../src/store/postgres/database.js';
import {type Store, StoreError} from '../../../src/store/store.js';
import {UnreliableProxy} from '../../support/network/unreliable-proxy.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres/database.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {
  activate,
  activated,
  listAll,
  minute,
  rejection,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from '../../support/store/samples.js';
import {openForTest, patient} from './fixture.js';

const scope = {organization: 'acme'};

/** Short time limits, so that tests of a silent network are fast; but a busy machine keeps them. */
const shortLimits: Partial<TimeLimits> = {
  statement: 3000,
  response: 3000,
  retryPeriod: 1500,
  shutdown: 100,
};

/** Calls until the store is available. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError && error.kind === 'unavailable')) throw error;
    }
  }
}

describe('a PostgreSQL store over an unreliable network', () => {
  let database: TestDatabase;
  let proxy: UnreliableProxy;
  let log: RecordedLog;

  beforeEach(async () => {
    database = await makeTestDatabase();
    proxy = await UnreliableProxy.make(database.url);
    await proxy.listen();
    log = new RecordedLog();
  });

  const open = (timeLimits = patient, waitUntil?: AbortSignal): Promise<Store> => {
    const options = {log, now: Date.now, waitUntil};
    return openForTest(`${proxy.urlFor(database.url)}&connect_timeout=3`, options, timeLimits);
  };

  const failure = async (promise: Promise<unknown>): Promise<StoreError> => {
    const error = await rejection(promise);
    if (error instanceof StoreError) return error;
    throw error;
  };

  for (const lost of ['request', 'response'] as const) {
    describe(`that loses the ${lost}`, () => {
      /** Calls, and loses so many of its statements that commit; the end of a text is not the level of a `BEGIN`. */
      const losing = async <T>(
        times: number,
        call: () => Promise<T>,
        statement = 'COMMIT\0',
      ): Promise<T> => {
        const before = proxy.count(statement);
        proxy.lose({statement, lost, times});
        const result = await call();
        expect(proxy.count(statement)).to.be.at.least(before + times + 1);
        return result;
      };

      it('creates the first API key once, and reports success to its creator', async () => {
        const opened = await open();
        const key = sampleApiKey();
        expect(await losing(1, () => opened.createFirstApiKey(key))).to.equal(true);
        expect(await opened.createFirstApiKey(sampleApiKey())).to.equal(false);
        expect(await opened.listApiKeys()).to.deep.equal([key]);
      });

      it('redeems a token once, and reports success to the caller who redeemed it', async () => {
        const opened = await open();
        const token = sampleToken();
        await opened.createToken(token);
        const attempt = sampleAttempt(token);
        const connector = activated(attempt);
        const outcome = lost === 'request' ? 'redeemed' : 'repeated';
        const result = await losing(3, () => opened.redeemToken(attempt));
        expect(result).to.deep.equal({outcome, connector});
        expect(await opened.redeemToken(sampleAttempt(token))).to.deep.equal({outcome: 'used'});
        expect(await listAll(opened, 'acme')).to.deep.equal([connector]);
      });

      it('replaces a key once, removes a connector once, and reports success to their callers', async () => {
        const opened = await open();
        const [{id, keyHash}, removed] = [await activate(opened), await activate(opened)];
        const reissue = sampleReissue(id);
        const issued = await losing(1, () => opened.reissueToken(reissue));
        expect(issued).to.include({id, keyHash});
        const attempt = sampleAttempt(reissue);
        const {outcome} = await losing(1, () => opened.redeemToken(attempt));
        expect(outcome).to.equal(lost === 'request' ? 'reissued' : 'repeated');
        expect(await opened.redeemToken(sampleAttempt(reissue))).to.deep.equal({outcome: 'used'});
        const remove = () => opened.removeConnectors([removed.id], null);
        expect(await losing(1, remove)).to.deep.equal([removed]);
        expect(await remove()).to.deep.equal([]);
        const [left, ...others] = await listAll(opened, 'acme');
        expect(left).to.include({id, keyHash: attempt.keyHashOf(id), endedKeyHash: keyHash});
        expect(others).to.deep.equal([]);
      });

      it('acknowledges exactly one of many simultaneous redemptions of a token', async () => {
        const opened = await open();
        const token = sampleToken();
        await opened.createToken(token);
        const attempts = Array.from({length: 30}, () => sampleAttempt(token));
        const results = await losing(5, () =>
          Promise.all(attempts.map((attempt) => opened.redeemToken(attempt))),
        );
        const [winner, ...others] = results.filter(({outcome}) => outcome !== 'used');
        expect(others).to.deep.equal([]);
        expect([winner && 'connector' in winner && winner.connector]).to.deep.equal(
          await listAll(opened, 'acme'),
        );
      });

      it('still records heartbeats and revocations', async () => {
        const opened = await open();
        const {id} = await activate(opened);
        const key = sampleApiKey();
        await opened.createApiKey(key);
        const at = start + 3 * minute;
        const beat = () => opened.recordHeartbeat(id, at, scope);
        const recorded = await losing(2, beat, 'recordHeartbeats');
        expect(recorded?.lastHeartbeatAt).to.equal(at);
        const revoked = await losing(1, () => opened.revokeApiKey(key.id, start + 1, null));
        expect(revoked?.revokedAt).to.equal(start + 1);
        expect(await opened.findConnector(id, scope)).to.deep.include(recorded);
      });
    });
  }

  it('fails as unavailable while the database cannot be reached, and works when the database is available again', async () => {
    const opened = await open(shortLimits);
    const {id} = await activate(opened);
    await proxy.close();
    const token = sampleToken();
    const failures = await Promise.all(
      [
        opened.check(),
        opened.createToken(token),
        opened.redeemToken(sampleAttempt(token)),
        opened.recordHeartbeat(id, start, scope),
        listAll(opened, 'acme'),
      ].map(failure),
    );
    for (const {kind, message} of failures) {
      expect(kind).to.equal('unavailable');
      expect(message).to.match(/127\.0\.0\.1:\d+\/postgres cannot be reached: .*ECONNREFUSED/);
    }
    await proxy.listen();
    await eventually(() => opened.check());
    expect((await opened.recordHeartbeat(id, start, scope))?.id).to.equal(id);
  });

  it('does not wait for a database that stops responding, either in operations or in close', async () => {
    const opened = await open(shortLimits);
    const {id} = await activate(opened);
    proxy.freeze();
    const calls = [opened.check(), opened.recordHeartbeat(id, start, scope)];
    const failures = await Promise.all(calls.map(failure));
    expect(failures.map(({kind}) => kind)).to.deep.equal(['unavailable', 'unavailable']);
    await opened.close();
  });

  it('does not open a store that accepts no writes', async () => {
    await (await open()).close();
    const url = database.url.replace(
      'options=',
      'options=-c%20default_transaction_read_only%3Don%20',
    );
    const error = await failure(openForTest(url, {log, now: Date.now}, shortLimits));
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include('accepts no writes: default_transaction_read_only is on');
  });

  describe('opened before its database is available', () => {
    it('waits for the database, and logs its address and the reason', async () => {
      await proxy.close();
      const opening = open(shortLimits, new AbortController().signal);
      await log.has('waiting for the database');
      const details = log.entries.at(-1)!.fields;
      expect(details['database']).to.equal(`${proxy.address}/postgres`);
      expect(details['reason']).to.include('ECONNREFUSED');
      await proxy.listen();
      const opened = await opening;
      await eventually(() => opened.check());
    });

    it('stops waiting when it is aborted', async () => {
      await proxy.close();
      const giveUp = new AbortController();
      const opening = failure(open(shortLimits, giveUp.signal));
      await log.has('waiting for the database');
      giveUp.abort();
      expect((await opening).kind).to.equal('unavailable');
    });

    it('fails immediately by default', async () => {
      await proxy.close();
      expect((await failure(open(shortLimits))).kind).to.equal('unavailable');
      expect(log.messages).to.deep.equal([]);
    });
  });

  it('stays within its connection limit and serves all waiting callers', async () => {
    const url = `${proxy.urlFor(database.url)}&pool_max_conns=3&application_name=narrow`;
    const opened = await openForTest(url, {log, now: Date.now}, patient);
    const tokens = Array.from({length: 200}, () => sampleToken());
    const made = Promise.all(tokens.map((token) => opened.createToken(token)));
    const counted = await database.query<{connections: number}>(
      `SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name = 'narrow'`,
    );
    expect(counted[0]?.connections).to.be.within(1, 3);
    await made;
    const [row] = await database.query<{tokens: number}>(
      'SELECT count(*)::int AS tokens FROM activation_tokens',
    );
    expect(row?.tokens).to.equal(200);
  });

  it('ends a statement that takes too long, and what was waiting for it', async () => {
    const url = `${proxy.urlFor(database.url)}&pool_max_conns=1&connect_timeout=1`;
    // The limit of the response, which follows that of the statement, gives a busy machine time to report it.
    const limits = {statement: 5000, lock: 30_000, response: 30_000, retryPeriod: 1500};
    const opened = await openForTest(url, {log, now: Date.now}, limits);
    const {id} = await activate(opened);
    await database.query('BEGIN; LOCK TABLE connectors');
    const slow = failure(opened.recordHeartbeat(id, start, scope));
    while (proxy.count('of_connectors_by_id') === 0) await setImmediate();
    const waiting = failure(opened.createToken(sampleToken()));
    expect((await waiting).message).to.include('timeout exceeded when trying to connect');
    expect((await slow).message).to.include('canceling statement due to statement timeout');
    await database.query('COMMIT');
    expect((await opened.recordHeartbeat(id, start, scope))?.id).to.equal(id);
  });
});
