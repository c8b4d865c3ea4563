import {once} from 'node:events';
import {mkdir, readdir, rename, rm, stat, writeFile} from 'node:fs/promises';
import {createServer as createHttpServer, request} from 'node:http';
import {connect as connectSocket, createServer} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {
  type AdminOptions,
  type OpenStore,
  useStoreAdmin,
} from '../../../src/server/control/open-admin.js';
import {serveControl as serve} from '../../../src/server/control/socket.js';
import {StoreError} from '../../../src/store/store.js';
import {failure} from '../../support/client.js';
import {copyDirectory} from '../../support/json-file/fixture.js';
import {atEndOfTest} from '../../support/process/at-end-of-test.js';
import {createGate} from '../../support/server/gate.js';
import {keepingLog} from '../../support/server/logs.js';
import {MemoryStore} from '../../support/store/memory-store.js';
import {activate} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const {log} = keepingLog();
const plain = {organization: 'default', description: null, expiresAt: null};

/** Serves the control calls of a store until the end of the test. */
async function serveControl(...options: Parameters<typeof serve>) {
  const control = await serve(...options);
  return control && {close: atEndOfTest(() => control.close())};
}

describe('the keyring of a store', () => {
  const at = temporaryDirectory();
  let store: MemoryStore;
  let held: boolean;

  beforeEach(() => {
    store = new MemoryStore();
    held = false;
  });

  const open = (options: Partial<AdminOptions> = {}) =>
    useStoreAdmin(
      at(),
      {
        log,
        openStore: async () => {
          if (held) throw new StoreError('locked', 'in use by process 7');
          return store;
        },
        ...options,
      },
      async (admin) => admin,
    );

  it('selects, finds, reissues and removes connectors through the service', async () => {
    const {id} = await activate(store);
    const direct = storeAdmin(store, log);
    await direct.create({...plain, organization: 'acme'});
    await serveControl(at(), storeAdmin(store, log), log);
    held = true;
    const asked = await open();
    const selected = await direct.select('acme', {names: ['build-*']}, '');
    expect(await asked.select('acme', {names: ['build-*']}, '')).to.deep.equal(selected);
    const found = await asked.find([id, 'con_unknown']);
    expect(found).to.deep.equal(selected.connectors);
    const {token, connector} = await asked.reissue(id, false);
    expect(connector).to.deep.equal(found[0]);
    expect(store.state.tokens.get(hashSecret(token))?.reissues).to.equal(id);
    expect(await asked.remove([id], 1)).to.deep.equal([]);
    expect(await asked.remove([id], null)).to.deep.equal(found);
    expect(store.connectors).to.deep.equal([]);
  });

  it('fails in the same way directly and through the service', async () => {
    const direct = storeAdmin(store, log);
    await serveControl(at(), storeAdmin(store, log), log);
    held = true;
    const asked = await open();
    const attempts = [
      (keyring: typeof asked) => keyring.revoke('key_x', null),
      (keyring: typeof asked) => keyring.create({...plain, organization: 'A B'}),
      (keyring: typeof asked) => keyring.create({...plain, description: ''}),
      (keyring: typeof asked) => keyring.create({...plain, expiresAt: 1}),
      (keyring: typeof asked) => keyring.create({...plain, expiresAt: Number.MAX_VALUE}),
    ];
    for (const attempt of attempts) {
      const here = await failure(() => attempt(direct));
      const there = await failure(() => attempt(asked));
      const {kind, message, reason} = here;
      expect(there).to.include({kind, message, reason});
      expect(reason).to.be.a('string');
      expect(there.details).to.deep.equal(here.details);
    }
  });

  it('waits for a service that is starting, and reports it once', async () => {
    held = true;
    const waits: string[] = [];
    const keyring = await open({
      onWait: async (reason) => {
        waits.push(reason);
        await serveControl(at(), storeAdmin(store, log), log);
      },
    });
    expect(await keyring.list()).to.deep.equal([]);
    expect(waits).to.deep.equal(['in use by process 7']);
  });

  it('waits for a process that is about to release the store', async () => {
    held = true;
    await open({
      onWait: () => {
        held = false;
      },
    });
    expect(store.isClosed).to.equal(true);
  });

  it('gives up after its time limit, and tries at most ten times a second until then', async () => {
    let tries = 0;
    const openStore = async () => {
      tries += 1;
      throw new StoreError('locked', 'in use by process 7');
    };
    const error = await failure(() => open({openStore, lockTimeout: 300}));
    expect(error).to.include({kind: 'unavailable', message: 'in use by process 7'});
    expect(tries).to.be.within(2, 5);
  });

  it('does not create a missing store', async () => {
    const openStore: OpenStore = async (_, {create}) => {
      expect(create).to.equal(false);
      throw new StoreError('missing', 'There is no store at x.');
    };
    const error = await failure(() => open({openStore}));
    expect(error).to.include({kind: 'not_found', message: 'There is no store at x.'});
    expect(error.reason).to.equal('store-missing');
  });
});

describe('the control socket', () => {
  const at = temporaryDirectory();

  const locked = () => Promise.reject(new StoreError('locked', 'in use'));
  const keyring = () => storeAdmin(new MemoryStore(), log);
  const connect = (location: string) =>
    useStoreAdmin(location, {log, openStore: locked, lockTimeout: 0}, async (admin) => admin);

  it('is accessible to its owner only, and removed when the service stops', async () => {
    const control = await serveControl(at(), keyring(), log);
    const [name, ...others] = await readdir(at());
    expect(others).to.deep.equal([]);
    const {mode} = await stat(at(name ?? ''));
    expect(mode & 0o777).to.equal(0o600);
    await control?.close();
    expect(await readdir(at())).to.deep.equal([]);
  });

  for (const reply of ['{"protocol":2,"result":[]}', '{"kind":"internal"}', 'Not found', 'null']) {
    it(`of another version is named as such, not as what it sends: ${reply}`, async () => {
      const other = createHttpServer((_request, response) => response.end(reply));
      await new Promise<void>((resolve) => other.listen(at('control.sock'), resolve));
      const error = await failure(() => connect(at()));
      expect(error.message).to.equal(
        'The service that holds this store runs another version of connectorctl.',
      );
      expect(error).to.include({kind: 'unavailable', reason: 'control-other-version'});
      other.close();
    });
  }

  it('of a service that fails, or does not answer, says so', async () => {
    const broken = {...keyring(), list: () => Promise.reject(new Error('a bug'))};
    const control = await serveControl(at(), broken, log);
    const error = await failure(() => connect(at()));
    expect(error).to.include({message: 'Error: a bug', reason: 'control-internal'});
    await control?.close();
    for (const half of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{']) {
      const mute = createServer((caller) => caller.end(half));
      await new Promise<void>((resolve) => mute.listen(at('control.sock'), resolve));
      expect(await failure(() => connect(at()))).to.include({
        message: `The service of this store does not respond (${at('control.sock')}).`,
        reason: 'control-unresponsive',
      });
      mute.close();
    }
  });

  it('carries out no call of another version', async () => {
    await serveControl(at(), keyring(), log);
    for (const call of [
      {protocol: 2, method: 'list', args: []},
      {protocol: 1, method: 'close', args: []},
    ]) {
      const reply = await new Promise<string>((resolve) => {
        const headers = {'content-type': 'application/json'};
        const options = {socketPath: at('control.sock'), method: 'POST', headers};
        request(options, (response) => void text(response).then(resolve)).end(JSON.stringify(call));
      });
      expect(JSON.parse(reply)).to.deep.equal({protocol: 1});
    }
  });

  it('replaces neither a file nor a directory', async () => {
    for (const make of [
      () => writeFile(at('control.sock'), 'mine'),
      () => mkdir(at('control.sock')),
    ]) {
      await make();
      const error = await failure(() => serveControl(at(), keyring(), log));
      expect(error.message).to.equal(`${at('control.sock')} is not a socket: move it away.`);
      expect(await readdir(at())).to.deep.equal(['control.sock']);
      await rm(at('control.sock'), {recursive: true});
    }
  });

  it('replaces the socket of a killed service', async () => {
    await leaveSocket(at('control.sock'));
    await serveControl(at(), keyring(), log);
    expect(await (await connect(at())).list()).to.deep.equal([]);
  });

  it('is missing where the path is too long for one, which the log says', async () => {
    const kept = keepingLog();
    const deep = at('x'.repeat(120));
    expect(await serveControl(deep, keyring(), kept.log)).to.equal(undefined);
    expect(kept.lines.map(({message}) => message)).to.deep.equal([
      'no control socket: the path of the store is too long; stop the service to change its keys or connectors',
    ]);
  });

  for (const [what, half] of [
    ['nothing', ''],
    ['half a header', 'POST / HTTP/1.1\r\nHos'],
    ['half a call', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"proto'],
  ] as const) {
    it(`of a service that stops does not wait for a caller that sent ${what}`, async () => {
      const control = await serveControl(at(), keyring(), log);
      const caller = connectSocket(at('control.sock'));
      const cut = new Promise((resolve) => caller.on('error', resolve).on('close', resolve));
      await once(caller, 'connect');
      if (half !== '') caller.write(half);
      await connect(at());
      await control?.close();
      await cut;
      expect(await readdir(at())).to.deep.equal([]);
    });
  }

  it('of a service that stops finishes the call that it carries out', async () => {
    const admin = keyring();
    const gate = createGate();
    const slow = {
      ...admin,
      async revoke(...args: Parameters<typeof admin.revoke>) {
        await gate.wait();
        return admin.revoke(...args);
      },
    };
    const {record} = await admin.create(plain);
    const control = await serveControl(at(), slow, log);
    const revoked = (await connect(at())).revoke(record.id, null);
    await gate.arrived;
    const closed = control?.close();
    gate.release();
    expect(await revoked).to.deep.include({id: record.id});
    await closed;
  });

  it('stays when a service starts on a copy of the store', async () => {
    const [live, copy] = [at('store'), at('copy')];
    await mkdir(live);
    const first = storeAdmin(new MemoryStore(), log);
    const {record} = await first.create(plain);
    await serveControl(live, first, log);
    expect(await copyDirectory(live, copy)).to.equal(true);
    const other = await serveControl(copy, keyring(), log);
    expect(await (await connect(live)).list()).to.deep.equal([record]);
    expect(await (await connect(copy)).list()).to.deep.equal([]);
    await other?.close();
    expect(await (await connect(live)).list()).to.deep.equal([record]);
  });
});

/** Leaves a socket file without a listener, as a killed process does. */
async function leaveSocket(file: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(file, resolve));
  // Closing removes the file by its name.
  await rename(file, `${file}-moved`);
  await new Promise((resolve) => server.close(resolve));
  await rename(`${file}-moved`, file);
}
