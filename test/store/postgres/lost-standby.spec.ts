import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {type ActivationToken, routes} from '../../../src/contract/index.js';
import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {PgBouncer} from '../../outside/clusters/pgbouncer.js';
import {isThere} from '../../outside/installed.js';
import {certificate, privateKey} from '../../support/network/certificates.js';
import {call} from '../../support/postgres/call.js';
import type {PostgresCluster} from '../../support/postgres/cluster.js';
import {startPair} from '../../support/postgres/pair.js';
import {type Service, startService} from '../../support/process/child.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {day, sampleToken, start} from '../../support/store/samples.js';
import {createKey} from './fixture.js';

/** The sessions of `serve` whose commit waits for the standby. */
const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'`;

describe('serve on a PostgreSQL primary that has lost its synchronous standby', function () {
  this.timeout(240_000);
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  let tls: {readonly cert: string; readonly key: string};

  before(async () => {
    [primary, standby] = await startPair();
    tls = {
      cert: primary.addFile('cert.pem', certificate),
      key: primary.addFile('key.pem', privateKey),
    };
    await primary.stop();
    primary.configure({ssl: 'on', ssl_cert_file: `'${tls.cert}'`, ssl_key_file: `'${tls.key}'`});
    await primary.start();
  });

  after(() => Promise.all([primary, standby].map((cluster) => cluster?.remove())));

  const count = async (): Promise<number> =>
    (await primary.query<{count: number}>(waiting))[0]!.count;

  /** Loses the standby under load, and brings it back once no session waits for it. */
  const loseStandby = async (url: string, service: Service, key: string): Promise<void> => {
    const create = () =>
      call<ActivationToken>(service.url, routes.createToken.path, {key, body: {}});
    expect((await create()).status, url).to.equal(201);
    await standby.stop('SIGQUIT');
    const responses = await Promise.all(Array.from({length: 12}, create));
    expect(new Set(responses.map(({status}) => status))).to.deep.equal(new Set([503]));
    while ((await count()) > 0) await delay(50);
    await standby.start();
    let created = await create();
    while (created.status === 503) created = await create();
    // What was acknowledged is at the standby too.
    const [row] = await standby.query<{count: number}>(
      'SELECT count(*)::int AS count FROM activation_tokens',
      'connectors',
    );
    expect(row?.count).to.be.at.least(2);
  };

  const through = async (url: string): Promise<void> => {
    const service = await startService(url, ['--log-level', 'warn']);
    await loseStandby(url, service, await createKey(url));
  };

  it('leaves no session behind', () => through(primary.url('connectors')));

  it('leaves no session behind over TLS', () =>
    through(primary.url('connectors', '?sslmode=require')));

  it('leaves no session behind over a Unix socket', () =>
    through(
      `postgres://postgres@${encodeURIComponent(primary.socketDirectory)}:${primary.port}/connectors`,
    ));

  it('leaves no session behind when its store is closed while a deletion of old tokens waits', async () => {
    const url = primary.url('connectors');
    const log = new RecordedLog();
    const filled = await openPostgresStore(url, {log, now: () => start});
    await filled.createToken(sampleToken());
    await filled.close();
    await standby.stop('SIGQUIT');
    // A time at which that token is old.
    const store = await openPostgresStore(
      url,
      {log, now: () => start + day},
      {long: 600_000, shutdown: 100},
    );
    while ((await count()) === 0) await delay(20);
    await store.close();
    while ((await count()) > 0) await delay(50);
    expect(log.messages).to.not.include('cannot delete old tokens; retrying later');
    await standby.start();
  });

  if (!isThere('pgbouncer')) return;

  const throughBouncer = async (settings: Record<string, string>, parameters = '') => {
    const bouncer = await PgBouncer.start(primary, settings);
    await through(bouncer.url('connectors', parameters));
  };

  it('leaves no session behind through PgBouncer', () => throughBouncer({pool_mode: 'session'}));

  it('leaves no session behind through PgBouncer with TLS on both sides', () =>
    throughBouncer(
      {
        pool_mode: 'session',
        client_tls_sslmode: 'require',
        client_tls_cert_file: tls.cert,
        client_tls_key_file: tls.key,
        server_tls_sslmode: 'require',
      },
      '?sslmode=require',
    ));
});
