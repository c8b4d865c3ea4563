import {expect} from 'chai';
import pg from 'pg';
import {
  sqlStates,
  toOpeningError,
  toStatementError,
} from '../../../../src/store/postgres/connection/statement-error.js';
import {openPostgresStore} from '../../../../src/store/postgres/open.js';
import {type Store, StoreError, type StoreErrorKind} from '../../../../src/store/store.js';
import {
  activate,
  expectKind,
  listAll,
  rejection,
  sampleAttempt,
  sampleToken,
  start,
} from '../../../support/store/samples.js';
import {patient, StoreDatabase} from '../fixture.js';

/** How the store handles an error that the server reports for a statement. */
interface Row {
  /** Whether the statement is retried on the same pool. */
  readonly isRetried: boolean;
  /** Whether the pool is discarded and the store searches for the primary. */
  readonly losesPool: boolean;
  readonly kind: StoreErrorKind;
}

const retried = {isRetried: true, losesPool: false, kind: 'unavailable'} as const;
const lost = {isRetried: true, losesPool: true, kind: 'unavailable'} as const;
const final = (kind: StoreErrorKind): Row => ({isRetried: false, losesPool: false, kind});

/** For each row of `sqlStates`, a SQLSTATE that it covers and the handling with severity ERROR. */
const rows: Readonly<Record<string, readonly [sqlState: string, Row]>> = {
  '25006': ['25006', lost],
  '25P03': ['25P03', retried],
  '25P04': ['25P04', retried],
  '26000': ['26000', final('misconfigured')],
  '40001': ['40001', retried],
  '40003': ['40003', retried],
  '40P01': ['40P01', retried],
  '55P03': ['55P03', retried],
  '53100': ['53100', final('full')],
  '53300': ['53300', retried],
  '55': ['55000', final('unavailable')],
  '57014': ['57014', final('unavailable')],
  '42P05': ['42P05', final('misconfigured')],
  '42P07': ['42P07', final('format')],
  '42P01': ['42P01', final('format')],
  '42703': ['42703', final('format')],
  '42501': ['42501', final('misconfigured')],
  '3D000': ['3D000', final('misconfigured')],
  '3F000': ['3F000', final('misconfigured')],
  '08': ['08006', retried],
  '28': ['28000', final('misconfigured')],
  '53': ['53200', final('unavailable')],
  '57': ['57P01', retried],
  '58': ['58030', final('unavailable')],
  XX000: ['XX000', retried],
  XX001: ['XX001', final('damaged')],
  XX002: ['XX002', final('damaged')],
};

const databaseError = (fields: Partial<pg.DatabaseError>): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('no', 1, 'error'), {severity: 'ERROR', ...fields});

describe('a PostgreSQL error', () => {
  it('has a test for each row of the table of SQLSTATEs', () => {
    expect(Object.keys(rows).sort()).to.deep.equal(Object.keys(sqlStates).sort());
  });

  for (const sqlState of ['08006', '25P03', '25P04', '57P01', '57P02']) {
    it(`of severity FATAL and SQLSTATE ${sqlState} ends one session and keeps the pool`, () => {
      const failure = toStatementError(databaseError({severity: 'FATAL', code: sqlState}), 'here');
      expect(failure.kind).to.equal('transient');
    });
  }

  /** For the SQLSTATE of a failure to connect: what happens to a pool without connections, and with others. */
  const openings: Readonly<Record<string, readonly [first: string, oneMore: string]>> = {
    '08P01': ['connection', 'transient'],
    '28P01': ['final', 'transient'],
    '3D000': ['final', 'transient'],
    '53300': ['transient', 'transient'],
    '55000': ['connection', 'transient'],
    '57P01': ['connection', 'transient'],
    '57P03': ['connection', 'connection'],
    '99999': ['connection', 'transient'],
  };

  for (const [code, expected] of Object.entries(openings)) {
    const [first, oneMore] = expected;
    it(`with SQLSTATE ${code} at the opening of a connection is ${first} for the first and ${oneMore} for one more`, () => {
      const failures = [false, true].map((isOneMore) =>
        toOpeningError(databaseError({severity: 'FATAL', code}), 'here', isOneMore),
      );
      expect(failures.map(({kind}) => kind)).to.deep.equal(expected);
      for (const {error} of failures) expect(error).to.be.instanceOf(StoreError);
    });
  }

  for (const sqlState of ['08006', '25006', '53300', '57P01', 'XX000']) {
    it(`with SQLSTATE ${sqlState} that a Citus worker reported keeps the pool`, () => {
      const where = 'while executing command on worker.example:5432';
      const failure = toStatementError(databaseError({code: sqlState, where}), 'here');
      expect(failure.kind).to.equal('transient');
      expect(failure.error).to.be.instanceOf(StoreError).with.property('kind', 'unavailable');
    });
  }

  it('with a SQLSTATE that is not in the table is passed on unchanged', () => {
    const cause = databaseError({code: '22012'});
    expect(toStatementError(cause, 'here')).to.deep.equal({kind: 'final', error: cause});
  });

  describe('in response to a statement', () => {
    let fixture: StoreDatabase;
    let store: Store;

    // The clock of the database: after some seconds, a clock that stands still would be logged as wrong.
    const open = (internals = patient) =>
      openPostgresStore(fixture.database.url, {log: fixture.log, now: Date.now}, internals);

    beforeEach(async () => {
      fixture = await StoreDatabase.make();
      store = await open();
    });

    afterEach(async () => {
      await store.close();
      await fixture.cleanup();
    });

    for (const [sqlState, {isRetried, losesPool, kind}] of Object.values(rows)) {
      const consequence = losesPool
        ? 'discards the pool and retries'
        : isRetried
          ? 'keeps the pool and retries'
          : `keeps the pool and fails as ${kind}`;
      it(`with SQLSTATE ${sqlState} ${consequence}`, async () => {
        await fixture.refuse('activation_tokens', sqlState, 1);
        const token = sampleToken();
        if (isRetried) await store.createToken(token);
        else expectKind(await rejection(store.createToken(token)), kind);
        const tokens = await fixture.database.query('SELECT hash FROM activation_tokens');
        expect(tokens).to.deep.equal(isRetried ? [{hash: token.hash}] : []);
        const logged = losesPool
          ? ['lost the connection to the database', 'reconnected to the database']
          : [];
        expect(fixture.log.messages).to.deep.equal(['store migrated', ...logged]);
      });
    }

    for (const [name, sqlState] of [
      ['a serialization failure', '40001'],
      ['a deadlock', '40P01'],
    ] as const) {
      it(`is retried after ${name}, and the statement takes effect once`, async () => {
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

    it('of a full disk makes the store unready until an insert that needs new pages succeeds', async () => {
      const token = sampleToken();
      await store.createToken(token);
      await fixture.refuse('connectors', '53100', 2);
      expectKind(await rejection(store.redeemToken(sampleAttempt(token))), 'full');
      expectKind(await rejection(store.check()), 'full');
      expect(await store.check()).to.deep.equal([]);
      expect(await store.check()).to.deep.equal([]);
      expect(await fixture.countTries()).to.equal(3);
      expect(await listAll(store, 'acme')).to.deep.equal([]);
    });

    it('fails with a transient error when retries do not help in time', async () => {
      await store.close();
      store = await open({timeLimits: {patience: 2000}});
      await fixture.refuse('activation_tokens', '40001', 1_000_000);
      const error = await rejection(store.createToken(sampleToken()));
      expect(expectKind(error, 'unavailable').message).to.include('not now (SQLSTATE 40001)');
      expect(await fixture.countTries()).to.be.above(2);
      expect(fixture.log.messages).to.deep.equal(['store migrated']);
    });

    it('names the connection pooler that has lost a prepared statement', async () => {
      await fixture.refuse('activation_tokens', '26000', 1_000_000);
      const error = await rejection(store.createToken(sampleToken()));
      expect(expectKind(error, 'misconfigured').message).to.match(/pooler/);
      expect(await fixture.countTries()).to.equal(1);
    });

    it('keeps the pool when it ends the sessions', async () => {
      await store.close();
      // Other tests use the same server.
      const url = `${fixture.database.url}&application_name=ended`;
      store = await openPostgresStore(url, {log: fixture.log, now: Date.now});
      await store.check();
      const ended = await fixture.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`,
      );
      expect(ended).not.to.deep.equal([]);
      await store.createToken(sampleToken());
      expect(fixture.log.messages).to.deep.equal(['store migrated']);
    });

    it('with a lock that another session holds fails, and rejects what waited for it', async () => {
      await store.close();
      store = await open({timeLimits: {lock: 300, patience: 100}});
      const {id} = await activate(store);
      const beat = () => rejection(store.recordHeartbeat(id, start, {organization: 'acme'}));
      await fixture.database.query('BEGIN');
      await fixture.database.query('LOCK TABLE connectors');
      const first = beat();
      for (;;) {
        const waiting = await fixture.database.query(
          'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass',
          ['connectors'],
        );
        if (waiting.length > 0) break;
      }
      const second = beat();
      expect(expectKind(await first, 'unavailable').message).to.include('SQLSTATE 55P03');
      expect(expectKind(await second, 'unavailable').message).to.include('Earlier operations');
      await fixture.database.query('ROLLBACK');
    });
  });
});
