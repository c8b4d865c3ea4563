import {mkdir, readdir, rename, rm, stat, writeFile} from 'node:fs/promises';
import {createServer as createHttpServer, request} from 'node:http';
import {createServer} from 'node:net';
import path from 'node:path';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {serveControl} from '../../../src/server/admin/control/server.js';
import {
  type AdminOptions,
  type OpenStore,
  openStoreAdmin,
} from '../../../src/server/admin/open-admin.js';
import {StoreError} from '../../../src/store/store.js';
import {copyDirectory} from '../../support/json-file/fixture.js';
import {MemoryStore} from '../../support/memory-store.js';
import {failureOf} from '../../support/server/failure.js';
import {keepingLog} from '../../support/server/logs.js';
import {activate} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const {log} = keepingLog();
const plain = {organization: 'default', description: null, expiresAt: null};

describe('the keyring of a store', () => {
  const at = temporaryDirectory();
  let store: MemoryStore;
  let held: boolean;

  beforeEach(() => {
    store = new MemoryStore();
    held = false;
  });

  const open = (options: Partial<AdminOptions> = {}) =>
    openStoreAdmin(at(), {
      log,
      openStore: async () => {
        if (held) throw new StoreError('locked', 'in use by process 7');
        return store;
      },
      ...options,
    });

  it('opens a store that no process holds, and closes it', async () => {
    const keyring = await open();
    const {record} = await keyring.create(plain);
    expect(store.apiKeys.has(record.id)).to.equal(true);
    await keyring.close();
    expect(store.failure?.kind).to.equal('closed');
  });

  it('calls the service that holds the store', async () => {
    held = true;
    const control = await serveControl(at(), storeAdmin(store, log));
    try {
      const keyring = await open();
      const {record, secret} = await keyring.create({...plain, description: 'CI'});
      expect(secret).to.match(/^ck_/);
      expect(store.apiKeys.get(record.id)?.description).to.equal('CI');
      expect(await keyring.list()).to.deep.equal([record]);
      const revoked = await keyring.revoke(record.id, null);
      expect(revoked.revokedAt).to.be.a('number');
      expect(store.apiKeys.get(record.id)?.revokedAt).to.equal(revoked.revokedAt);
      await keyring.close();
      expect(store.failure).to.equal(undefined);
    } finally {
      await control?.close();
    }
  });

  it('selects, finds, reissues and removes connectors through the service', async () => {
    const {id} = await activate(store);
    const direct = await open();
    await direct.create({...plain, organization: 'acme'});
    const control = await serveControl(at(), storeAdmin(store, log));
    try {
      held = true;
      const asked = await open();
      const query = {names: ['build-*'], silentFor: undefined};
      expect(await asked.select(query, null)).to.deep.equal(await direct.select(query, null));
      const found = await asked.find([id, 'con_unknown']);
      expect(found).to.deep.equal((await direct.select({}, null)).connectors);
      const {token, connector} = await asked.reissue(id, false);
      expect(connector).to.deep.equal(found[0]);
      expect(store.tokens.get(hashSecret(token))?.reissues).to.equal(id);
      expect(await asked.remove([id], 1)).to.deep.equal([]);
      expect(await asked.remove([id], null)).to.deep.equal(found);
      expect(store.connectors.size).to.equal(0);
    } finally {
      await control?.close();
    }
  });

  it('fails in the same way directly and through the service', async () => {
    const direct = await open();
    const control = await serveControl(at(), storeAdmin(store, log));
    try {
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
        const here = await failureOf(attempt(direct));
        const there = await failureOf(attempt(asked));
        const {kind, message, reason} = here;
        expect(there).to.include({kind, message, reason});
        expect(reason).to.be.a('string');
        expect(there.details).to.deep.equal(here.details);
      }
    } finally {
      await control?.close();
    }
  });

  it('waits for a service that is starting, and reports it once', async () => {
    held = true;
    const waits: string[] = [];
    let control: {close(): Promise<void>} | undefined;
    const keyring = await open({
      onWait: async (reason) => {
        waits.push(reason);
        control = await serveControl(at(), storeAdmin(store, log));
      },
    });
    expect(await keyring.list()).to.deep.equal([]);
    expect(waits).to.deep.equal(['in use by process 7']);
    await control?.close();
  });

  it('waits for a process that is about to release the store', async () => {
    held = true;
    const keyring = await open({
      onWait: () => {
        held = false;
      },
    });
    expect(await keyring.list()).to.deep.equal([]);
  });

  it('gives up after its time limit', async () => {
    held = true;
    const error = await failureOf(open({patience: 0}));
    expect(error).to.include({kind: 'unavailable', message: 'in use by process 7'});
  });

  it('does not create a missing store', async () => {
    const openStore: OpenStore = async (_, {create}) => {
      expect(create).to.equal(false);
      throw new StoreError('missing', 'There is no store at x.');
    };
    const error = await failureOf(open({openStore}));
    expect(error).to.include({kind: 'not_found', message: 'There is no store at x.'});
    expect(error.reason).to.equal('store-missing');
  });

  it('does not wait after a permanent error', async () => {
    const openStore = () => Promise.reject(new StoreError('damaged', 'line 7'));
    const error = await failureOf(open({openStore, onWait: () => expect.fail('it waits')}));
    expect(error).to.include({message: 'line 7'});
  });
});

describe('the control socket', () => {
  const at = temporaryDirectory();

  const locked = () => Promise.reject(new StoreError('locked', 'in use'));
  const keyring = () => storeAdmin(new MemoryStore(), log);
  const connect = (location: string) => openStoreAdmin(location, {log, openStore: locked});

  it('is accessible to its owner only, and removed when the service stops', async () => {
    const control = await serveControl(at(), keyring());
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
      const error = await failureOf(connect(at()));
      expect(error.message).to.equal(
        'The service that holds this store is another version of connectorctl than this command.',
      );
      expect(error).to.include({kind: 'unavailable', reason: 'control-other-version'});
      other.close();
    });
  }

  it('carries out no call of another version', async () => {
    const control = await serveControl(at(), storeAdmin(new MemoryStore(), log));
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
    await control?.close();
  });

  it('replaces neither a file nor a directory', async () => {
    for (const make of [
      () => writeFile(at('control.sock'), 'mine'),
      () => mkdir(at('control.sock')),
    ]) {
      await make();
      const error = await failureOf(serveControl(at(), keyring()));
      expect(error.message).to.include(at('control.sock'));
      expect(await readdir(at())).to.deep.equal(['control.sock']);
      await rm(at('control.sock'), {recursive: true});
    }
  });

  it('replaces the socket of a killed service', async () => {
    await leaveSocket(at('control.sock'));
    const control = await serveControl(at(), keyring());
    expect(await (await connect(at())).list()).to.deep.equal([]);
    await control?.close();
  });

  // Other systems have no alias for a path that is too long for a socket.
  if (process.platform === 'linux') {
    it('is in the directory of the store even if the path is too long for a socket', async () => {
      const deep = at('x'.repeat(120));
      await mkdir(deep);
      const control = await serveControl(deep, keyring());
      expect(await readdir(deep)).to.deep.equal(['control.sock']);
      expect((await stat(path.join(deep, 'control.sock'))).mode & 0o777).to.equal(0o600);
      expect(await (await connect(deep)).list()).to.deep.equal([]);
      expect(await (await connect(path.relative(process.cwd(), deep))).list()).to.deep.equal([]);
      await control?.close();
      expect(await readdir(deep)).to.deep.equal([]);
    });
  }

  for (const [length, name] of [
    ['short', 'store'],
    ['long', 'x'.repeat(120)],
  ] as const) {
    it(`stays when a service starts on a copy of the store, with a ${length} path`, async () => {
      const [live, copy] = [at(name), at(`${name}-copy`)];
      await mkdir(live);
      const first = storeAdmin(new MemoryStore(), log);
      const {record} = await first.create(plain);
      const control = await serveControl(live, first);
      expect(await copyDirectory(live, copy)).to.equal(true);
      const other = await serveControl(copy, keyring());
      expect(await (await connect(live)).list()).to.deep.equal([record]);
      expect(await (await connect(copy)).list()).to.deep.equal([]);
      await other?.close();
      expect(await (await connect(live)).list()).to.deep.equal([record]);
      await control?.close();
    });
  }
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
