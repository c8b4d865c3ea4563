import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {notice} from '../../support/notice.js';
import {fast, PostgresCluster} from '../../support/postgres/cluster.js';
import {PgBouncer, pgBouncer} from '../../support/postgres/pgbouncer.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, expectKind, rejection} from '../../support/store/samples.js';

if (pgBouncer === undefined) {
  notice('PgBouncer is not tested: pgbouncer is not installed.');
} else {
  describe('a PostgreSQL store behind PgBouncer', function () {
    this.timeout(120_000);
    let server: PostgresCluster;

    before(async () => {
      server = await PostgresCluster.make(fast);
      await server.start();
    });

    after(() => server?.remove());

    const through = async (
      settings: Record<string, string>,
      use: (url: string) => Promise<void>,
    ) => {
      const bouncer = await PgBouncer.start(server, {pool_mode: 'session', ...settings});
      await use(bouncer.url('postgres', '?options=-c%20search_path%3Dpublic')).finally(() =>
        bouncer.stop(),
      );
    };

    // Waits for a database that is only unavailable.
    const open = (url: string) =>
      openPostgresStore(url, {
        log: new RecordedLog(),
        now: Date.now,
        waitUntil: new AbortController().signal,
      });

    it('fails immediately when PgBouncer refuses the options of the URL', () =>
      through({}, async (url) => {
        const error = expectKind(await rejection(open(url)), 'misconfigured');
        expect(error.message).to.include('unsupported startup parameter: options');
      }));

    it('works when PgBouncer ignores the options of the URL', () =>
      through({ignore_startup_parameters: 'options'}, async (url) => {
        const store = await open(url);
        await activate(store);
        await store.close();
      }));
  });
}
