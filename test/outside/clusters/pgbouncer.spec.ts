import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {fast, PostgresCluster} from '../../support/postgres/cluster.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';
import {describeWith} from '../installed.js';
import {PgBouncer} from './pgbouncer.js';

describeWith(['pgbouncer'], 'a PostgreSQL store behind PgBouncer', function () {
  this.timeout(120_000);
  let server: PostgresCluster;

  before(async () => {
    server = await PostgresCluster.make(fast);
    await server.start();
  });

  after(() => server?.remove());

  /** @returns the URL of a database behind it */
  const startBouncer = async (settings: Record<string, string>): Promise<string> => {
    const bouncer = await PgBouncer.start(server, {pool_mode: 'session', ...settings});
    return bouncer.url('postgres', '?options=-c%20search_path%3Dpublic');
  };

  // Waits for a database that is only unavailable.
  const open = (url: string) =>
    openPostgresStore(url, {
      log: new RecordedLog(),
      now: Date.now,
      waitUntil: new AbortController().signal,
    });

  it('fails immediately when PgBouncer refuses the options of the URL', async () => {
    const url = await startBouncer({});
    const error = expectKind(await rejection(open(url)), 'misconfigured');
    expect(error.message).to.include('unsupported startup parameter: options');
  });

  it('says that PgBouncer must pool sessions where it pools transactions, and keeps what it acknowledged', async () => {
    const pooling = {pool_mode: 'transaction', default_pool_size: '1'};
    const url = await startBouncer({...pooling, ignore_startup_parameters: 'options'});
    const store = await open(url);
    const calls = await Promise.allSettled(Array.from({length: 20}, () => activate(store)));
    await store.close();
    const messages = calls.flatMap((call) =>
      call.status === 'rejected' ? [String(call.reason.message)] : [],
    );
    expect(messages).to.not.have.length(0);
    for (const message of messages) expect(message).to.include('must pool sessions');
    const direct = await open(server.url());
    const kept = (await listAll(direct, 'acme')).map(({id}) => id);
    const done = calls.flatMap((call) => (call.status === 'fulfilled' ? [call.value.id] : []));
    expect(kept).to.include.members(done);
    await direct.close();
  });

  it('works when PgBouncer ignores the options of the URL', async () => {
    const store = await open(await startBouncer({ignore_startup_parameters: 'options'}));
    await activate(store);
    await store.close();
  });
});
