import {cpSync, rmSync} from 'node:fs';
import {expect} from 'chai';
import {fillPath, routes} from '../../../src/contract/index.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {buildApp} from '../../../src/server/app.js';
import {serveControl} from '../../../src/server/control/socket.js';
import {UnknownConnectors} from '../../../src/server/observability/unknown-connectors.js';
import {openStore} from '../../../src/store/open.js';
import {runCommand} from '../../support/command/run-command.js';
import {atEndOfTest} from '../../support/process/at-end-of-test.js';
import {keepingLog} from '../../support/server/logs.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

interface Activated {
  readonly id: string;
  readonly api_key: string;
}

describe('store unknown', () => {
  const at = temporaryDirectory();
  const command = (...words: string[]) =>
    runCommand(['store', 'unknown', ...words, '--store', at('store')]);

  /** A service on the store, with the control socket of its operator. */
  async function serve() {
    const {log, lines} = keepingLog();
    const store = await openStore(at('store'), {log, now: Date.now});
    const unknown = new UnknownConnectors();
    const admin = storeAdmin(store, log, {unknown});
    const control = await serveControl(at('store'), admin, log);
    const app = await buildApp({store, log, unknown, maxEventLoopDelay: Infinity});
    const stop = atEndOfTest(async () => {
      await app.close();
      await control?.close();
      await store.close();
    });
    const call = (
      operation: 'activate' | 'createToken' | 'heartbeat',
      key = '',
      body = {},
      id = '',
    ) =>
      app.inject({
        method: 'POST',
        url: fillPath(routes[operation].path, {id}),
        headers: {authorization: `Bearer ${key}`},
        payload: body,
      });
    return {admin, call, lines, stop, metrics: async () => (await app.inject('/metrics')).payload};
  }
  type Running = Awaited<ReturnType<typeof serve>>;

  async function activate({call}: Running, key: string, count: number): Promise<Activated[]> {
    const names = Array.from({length: count}, (_, number) => `web-${number}`);
    return Promise.all(
      names.map(async (name) => {
        const {token} = (await call('createToken', key)).json();
        return (await call('activate', '', {token, name})).json();
      }),
    );
  }

  const beat = ({call}: Running, {id, api_key}: Activated) => call('heartbeat', api_key, {}, id);

  it('lists all of 500 connectors that were activated after the backup, after one interval', async () => {
    await (await openStore(at('store'), {...keepingLog(), now: Date.now})).close();
    let service = await serve();
    const plain = {organization: 'acme', description: null, expiresAt: null};
    const {secret} = await service.admin.create(plain);
    const before = await activate(service, secret, 2);
    cpSync(at('store'), at('backup'), {recursive: true, filter: (name) => !/sock|lock/.test(name)});
    const after = await activate(service, secret, 500);
    const renewed = before[1]!;
    const {token} = await service.admin.reissue(renewed.id, false);
    const again = (await service.call('activate', '', {token, name: 'web-1'})).json();
    await service.stop();
    rmSync(at('store'), {recursive: true});
    cpSync(at('backup'), at('store'), {recursive: true});
    service = await serve();
    expect((await command()).stderr).to.include('has refused no connector within the last hour');
    const lost = [...after, again];
    for (const one of [before[0]!, ...lost]) await beat(service, one);
    const {code, stdout} = await command('--json');
    expect(code).to.equal(0);
    const found: {id: string; name: string | null; address: string}[] = JSON.parse(stdout);
    const ids = lost.map(({id}) => id).sort();
    expect(found.map(({id}) => id)).to.deep.equal(ids);
    expect(found.filter(({name}) => name !== null)).to.have.length(1);
    expect(found.find(({id}) => id === again.id)).to.include({name: 'web-1', address: '127.0.0.1'});
    expect(await service.metrics()).to.match(/^connectorctl_unknown_connectors 501$/m);
    const logged = service.lines.flatMap(({fields}) => fields['refused_id'] ?? []);
    expect(logged.sort()).to.deep.equal(ids);
    const table = await command();
    expect(table.stdout.split('\n')[0]).to.match(/^ID +NAME +FIRST +LAST +ADDRESS$/);
    expect(table.stderr).to.include('501 connectors, removed or lost in a restore.');
  });

  it('says what to do without a running service', async () => {
    await (await openStore(at('store'), {...keepingLog(), now: Date.now})).close();
    const {code, stderr} = await command();
    expect(code).to.equal(6);
    expect(stderr).to.match(
      /No running service .* this store\.\n {2}Start connectorctl serve.* logs .*refused_id/,
    );
  });
});
