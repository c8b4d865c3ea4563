import {expect} from 'chai';
import {AcknowledgedState} from '../../../src/store/postgres/acknowledged.js';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import type {Store} from '../../../src/store/store.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {
  activate,
  listAll,
  minute,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from '../../support/store/samples.js';
import {UnreliableProxy} from '../../support/unreliable-proxy.js';

const isOlder =
  'the database has lost changes that it had acknowledged: it has gone back to an older state';
const scope = {organization: 'acme'};

describe('a PostgreSQL store that reconnects to its database', () => {
  let database: TestDatabase;
  let proxy: UnreliableProxy;
  let log: RecordedLog;
  let store: Store;
  let regressions: number;

  beforeEach(async () => {
    database = await makeTestDatabase();
    proxy = await UnreliableProxy.make(database.url);
    await proxy.listen();
    log = new RecordedLog();
    regressions = 0;
    store = await openPostgresStore(proxy.urlFor(database.url), {
      log,
      now: () => start,
      onRegression: () => {
        regressions += 1;
      },
    });
  });

  afterEach(async () => {
    await store.close();
    await proxy.close();
    await database.drop();
  });

  /** Applies a change to the database while the store cannot reach it. */
  const away = async (change: () => Promise<unknown> = async () => {}): Promise<void> => {
    await proxy.close();
    await log.has('lost the connection to the database');
    await change();
    await proxy.listen();
  };

  const lost = () =>
    log.entries
      .filter(({message}) => message === isOlder)
      .map(({level, details}) => [level, details]);

  it('logs no error when the database still holds all acknowledged changes', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + minute, scope);
    await store.createApiKey(sampleApiKey());
    await away(() =>
      database.query(`UPDATE connectors SET last_heartbeat_at = ${start + 2 * minute}`),
    );
    expect(await store.check()).to.deep.equal([]);
    expect([lost(), regressions]).to.deep.equal([[], 0]);
  });

  it('reports a heartbeat that the database has lost, and reports it once', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + minute, scope);
    await away(() => database.query(`UPDATE connectors SET last_heartbeat_at = ${start}`));
    const [warning, ...others] = await store.check();
    expect(warning).to.match(/^At 2040-01-01T00:00:00.000Z the database has lost changes/);
    expect(others).to.deep.equal([]);
    const change = {
      change: 'heartbeat',
      id,
      acknowledged: new Date(start + minute).toISOString(),
      found: new Date(start).toISOString(),
    };
    expect(lost()).to.deep.equal([['error', {lost: [change]}]]);
    await away();
    expect(await store.check()).to.deep.equal([warning]);
    expect([lost().length, regressions]).to.deep.equal([1, 1]);
  });

  it('reports a connector that the database has lost', async () => {
    const {id} = await activate(store);
    await away(() => database.query('DELETE FROM connectors'));
    await store.check();
    expect(lost()).to.deep.equal([['error', {lost: [{change: 'activation', id}]}]]);
  });

  it('does not report connectors that another process removed, or whose revoked key it replaced', async () => {
    const [removed, replaced] = [await activate(store), await activate(store)];
    await store.recordHeartbeat(removed.id, start + minute, scope);
    await store.revokeConnector(removed.id, start, null);
    await store.revokeConnector(replaced.id, start, null);
    await store.recordHeartbeat((await activate(store)).id, start + minute, scope);
    await away(async () => {
      const other = await openPostgresStore(database.url, {log, now: () => start});
      const reissue = sampleReissue(replaced.id);
      await other.reissueToken(reissue);
      await other.redeemToken(sampleAttempt(reissue));
      const ids = (await listAll(other, 'acme')).map(({id}) => id);
      await other.removeConnectors(
        ids.filter((id) => id !== replaced.id),
        null,
      );
      await other.close();
    });
    expect(await store.check()).to.deep.equal([]);
    expect([lost(), regressions]).to.deep.equal([[], 0]);
  });

  it('reports a token that the database has lost, unless the retention of the token has ended', async () => {
    await store.createToken(sampleToken());
    await away(() => database.query('DELETE FROM activation_tokens'));
    await store.check();
    expect(lost()).to.deep.equal([['error', {lost: [{change: 'token'}]}]]);
    await store.createToken(sampleToken({expiresAt: start - 1}));
    await away(() => database.query('DELETE FROM activation_tokens'));
    await store.check();
    expect(regressions).to.equal(1);
  });

  it('reports a revoked API key that is valid again', async () => {
    const key = sampleApiKey();
    await store.createApiKey(key);
    await store.revokeApiKey(key.id, start, null);
    await away(() => database.query('UPDATE api_keys SET revoked_at = NULL'));
    await store.check();
    expect(lost()).to.deep.equal([['error', {lost: [{change: 'revocation', id: key.id}]}]]);
  });

  it('reports a revoked connector whose key is valid again', async () => {
    const {id} = await activate(store);
    await store.revokeConnector(id, start, null);
    await away(() => database.query('UPDATE connectors SET revoked_at = NULL'));
    await store.check();
    expect(lost()).to.deep.equal([['error', {lost: [{change: 'revocation', id}]}]]);
  });

  it('does not report a connector that is activated during the comparison', async () => {
    const log = new RecordedLog();
    const state = new AcknowledgedState({log, now: Date.now, onRegression: undefined});
    const [first, second] = [await activate(store), await activate(store)];
    const attempt = sampleAttempt(sampleToken());
    state.activation(attempt, first);
    await state.compare(async <Row>() => {
      state.activation(attempt, second);
      return [{id: first.id, at: null}] as Row[];
    });
    expect(log.entries).to.deep.equal([]);
  });
});
