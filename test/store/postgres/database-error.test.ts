import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import pg from 'pg';
import {explainDatabaseError, TransientError} from '../../../src/store/postgres/database-error.js';
import type {Store, StoreErrorKind} from '../../../src/store/store.js';
import {
  activate,
  activated,
  expectKind,
  listAll,
  rejection,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';
import {openForTest, StoreDatabase} from './fixture.js';

/** SQLSTATEs of each meaning, by their own row in `sqlStates` or by that of their class, and what happens. */
const rows: readonly (readonly [sqlState: string, 'retried' | StoreErrorKind])[] = [
  ['08006', 'retried'],
  ['28000', 'misconfigured'],
  ['40001', 'retried'],
  ['42501', 'misconfigured'],
  ['42P01', 'format'],
  ['53100', 'full'],
  ['53200', 'unavailable'],
  ['53300', 'retried'],
  ['57014', 'unavailable'],
  ['57P01', 'retried'],
  ['XX000', 'retried'],
  ['XX001', 'damaged'],
];

const databaseError = (fields: Partial<pg.DatabaseError>): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('no', 1, 'error'), {severity: 'ERROR', ...fields});

describe('a PostgreSQL error', () => {
  it('of severity FATAL with a SQLSTATE that is not in the table is unavailable', () => {
    const cause = databaseError({severity: 'FATAL', code: '99999'});
    const error = explainDatabaseError(cause, 'here');
    expect(expectKind(error, 'unavailable')).to.not.be.instanceOf(TransientError);
  });

  it('with a SQLSTATE that is not in the table is passed on unchanged', () => {
    const cause = databaseError({code: '22012'});
    expect(explainDatabaseError(cause, 'here')).to.equal(cause);
  });

  describe('in response to a statement', () => {
    let fixture: StoreDatabase;
    let store: Store;

    beforeEach(async () => {
      fixture = await StoreDatabase.make();
      store = await fixture.open();
    });

    for (const [sqlState, outcome] of rows) {
      it(`with SQLSTATE ${sqlState} is ${outcome === 'retried' ? outcome : `final: ${outcome}`}`, async () => {
        await fixture.refuse('activation_tokens', sqlState, 1);
        const token = sampleToken();
        if (outcome === 'retried') await store.createToken(token);
        else expectKind(await rejection(store.createToken(token)), outcome);
        const tokens = await fixture.database.query('SELECT hash FROM activation_tokens');
        expect(tokens).to.deep.equal(outcome === 'retried' ? [{hash: token.hash}] : []);
        expect(fixture.log.messages).to.deep.equal([]);
      });
    }

    it('is a statement that was prepared before the type of a column changed: it is prepared again', async () => {
      expect(await store.listApiKeys()).to.deep.equal([]);
      await fixture.database.query(
        'ALTER TABLE api_keys ALTER COLUMN description TYPE varchar(200)',
      );
      expect(await store.listApiKeys()).to.deep.equal([]);
    });

    it('is a key that pg_restore has not made yet: the tables are not those of the store', async () => {
      // It makes keys and indexes last.
      await fixture.database.query(
        'ALTER TABLE activation_tokens DROP CONSTRAINT activation_tokens_pkey',
      );
      expectKind(await rejection(store.createToken(sampleToken())), 'format');
    });

    it('is a warning at COMMIT: the change is made again until there is none', async () => {
      await fixture.database.query(`
        CREATE SEQUENCE warnings;
        CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS '
          BEGIN
            IF nextval(''warnings'') <= 2 THEN RAISE WARNING ''a node is lost''; END IF;
            RETURN NULL;
          END';
        CREATE CONSTRAINT TRIGGER warn AFTER INSERT OR UPDATE ON connectors
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()`);
      const attempt = sampleAttempt(await created());
      // The warning comes once for each redemption that writes; a repetition writes nothing.
      expect((await store.redeemToken(attempt)).outcome).to.equal('repeated');
      expect(await listAll(store, 'acme')).to.deep.equal([activated(attempt)]);
      await store.close();
      store = await fixture.open({retryPeriod: 0});
      await fixture.database.query('ALTER SEQUENCE warnings RESTART');
      const failed = await rejection(store.redeemToken(sampleAttempt(await created())));
      expect(expectKind(failed, 'unavailable').message).to.include(
        'a node is lost (SQLSTATE 01000)',
      );
    });

    const created = async () => {
      const token = sampleToken();
      await store.createToken(token);
      return token;
    };

    it('fails with a transient error when retries do not help in time', async () => {
      await store.close();
      store = await fixture.open({retryPeriod: 2000});
      await fixture.refuse('activation_tokens', '40001', 1_000_000);
      const error = await rejection(store.createToken(sampleToken()));
      expect(expectKind(error, 'unavailable').message).to.include('not now (SQLSTATE 40001)');
      expect(await fixture.countTries()).to.be.above(2);
      expect(fixture.log.messages).to.deep.equal(['lost the connection to the database']);
      await fixture.database.query('DROP TRIGGER refuse ON activation_tokens');
      await store.createToken(sampleToken());
      expect(fixture.log.messages.at(-1)).to.equal('reconnected to the database');
    });

    it('names the connection pooler that has lost a prepared statement', async () => {
      await fixture.refuse('activation_tokens', '26000', 1_000_000);
      const error = await rejection(store.createToken(sampleToken()));
      expect(expectKind(error, 'misconfigured').message).to.match(/pooler/);
      expect(await fixture.countTries()).to.equal(1);
    });

    it('is retried when it ends the sessions', async () => {
      await store.close();
      // Other tests use the same server.
      const url = `${fixture.database.url}&application_name=ended`;
      store = await openForTest(url, {log: fixture.log, now: Date.now});
      await store.check();
      const ended = await fixture.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`,
      );
      expect(ended).not.to.deep.equal([]);
      await store.createToken(sampleToken());
      expect(fixture.log.messages).to.deep.equal([]);
    });

    it('with a lock that another session holds fails, and rejects what waited for it', async () => {
      await store.close();
      store = await fixture.open({lock: 300, retryPeriod: 100});
      const {id} = await activate(store);
      const beat = () => rejection(store.recordHeartbeat(id, start, {organization: 'acme'}));
      await fixture.database.query('BEGIN');
      await fixture.database.query('LOCK TABLE connectors');
      const first: Promise<unknown>[] = [];
      // Each is a batch of its own; what comes after the four waits until the database gives up the lock.
      for (let batch = 0; batch < 4; batch += 1) {
        first.push(beat());
        for (let turn = 0; turn < 2; turn += 1) await setImmediate();
      }
      const last = beat();
      for (const error of await Promise.all(first))
        expect(expectKind(error, 'unavailable').message).to.include('SQLSTATE 55P03');
      expect(expectKind(await last, 'unavailable').message).to.include('Earlier requests');
      await fixture.database.query('ROLLBACK');
    });
  });
});
