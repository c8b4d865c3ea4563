import {EventEmitter, once} from 'node:events';
import {expect} from 'chai';
import {AppError} from '../../src/errors.js';
import type {CreatedKey} from '../../src/server/admin/admin.js';
import {createLogger} from '../../src/server/observability/logger.js';
import {type ServeEnvironment, type ServeOptions, serve} from '../../src/server/serve.js';
import {StoreError} from '../../src/store/store.js';
import {failure} from '../support/client.js';
import {atEndOfTest} from '../support/process/at-end-of-test.js';
import {fakeIo} from '../support/process/io.js';
import {createGate, type Gate} from '../support/server/gate.js';
import {open, parseResponse, readAll, readOnce} from '../support/server/raw-http.js';
import {MemoryStore} from '../support/store/memory-store.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const log = createLogger('silent', fakeIo().log);

/** A process that can receive signals, and records its exits. */
class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe('serve', () => {
  const at = temporaryDirectory();
  let store: MemoryStore;
  let fake: FakeProcess;
  let events: EventEmitter;
  let bootstrapped: CreatedKey[];

  beforeEach(() => {
    store = new MemoryStore();
    fake = new FakeProcess();
    events = new EventEmitter();
    bootstrapped = [];
  });

  const run = (
    options: Partial<ServeOptions> = {},
    environment: Partial<ServeEnvironment> = {},
  ): Promise<void> =>
    serve(
      {host: '127.0.0.1', port: 0, directory: at(), ...options},
      {
        openStore: async () => store,
        log,
        process: fake,
        onListening: (url) => void events.emit('listening', url),
        saveFirstKey: async (key) => {
          bootstrapped.push(key);
          return async () => void bootstrapped.pop();
        },
        ...environment,
      },
    );

  /** Starts a service that is stopped after the test. */
  async function started(
    options: Partial<ServeOptions> = {},
    environment: Partial<ServeEnvironment> = {},
  ) {
    const listening = once(events, 'listening');
    const ended = run(options, environment);
    const [url] = await Promise.race([listening, ended.then(() => expect.fail('it ended'))]);
    const own = fake;
    atEndOfTest(async () => {
      own.emit('SIGTERM', 'SIGTERM');
      await ended;
    });
    return {url: String(url), ended};
  }

  it('creates an organization and an API key for an empty store before it reports its URL', async () => {
    const {url} = await started();
    const [first, ...others] = bootstrapped;
    expect(others).to.deep.equal([]);
    expect(first?.record.organization).to.equal('default');
    const headers = {authorization: `Bearer ${first?.secret}`};
    const response = await fetch(`${url}/api/connectors`, {headers});
    expect(await response.json()).to.deep.equal([]);
  });

  it('starts without an API key when there is no place to keep one', async () => {
    const {url} = await started({}, {saveFirstKey: undefined});
    expect(store.state.apiKeys.size).to.equal(0);
    expect((await fetch(`${url}/readyz`)).status).to.equal(503);
  });

  it('creates no API key and does not start when the key could not be kept', async () => {
    const saveFirstKey = () => Promise.reject(new AppError('usage', 'the file is there'));
    const error = await failure(() => run({}, {saveFirstKey}));
    expect(error).to.include({message: 'the file is there'});
    expect(store.state.apiKeys.size).to.equal(0);
    expect(store.isClosed).to.equal(true);
  });

  it('takes back a key that another process was faster to create', async () => {
    store.createFirstApiKey = async () => false;
    await started();
    expect(bootstrapped).to.deep.equal([]);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`drains requests in flight on ${signal}, closes the store, and removes its signal handlers`, async () => {
      const {url, ended} = await started();
      const idle = open(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      await readOnce(idle);
      const held = holdLists(store);
      const key = bootstrapped[0]?.secret;
      const head = `GET /api/connectors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const response = readAll(open(url, head));
      await held.arrived;
      fake.emit(signal, signal);
      await readAll(idle);
      expect(await readAll(open(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'))).to.equal('');
      expect(store.isClosed).to.equal(false);
      held.release();
      expect(parseResponse(await response).status).to.equal(200);
      await ended;
      expect(store.isClosed).to.equal(true);
      expect(fake.exits).to.deep.equal([]);
      expect(fake.listenerCount('SIGTERM') + fake.listenerCount('SIGINT')).to.equal(0);
    });
  }

  it('exits on a signal while it waits for its store', async () => {
    const openStore: ServeEnvironment['openStore'] = async ({waitUntil}) => {
      fake.emit('SIGTERM', 'SIGTERM');
      expect(waitUntil?.aborted).to.equal(true);
      throw new StoreError('unavailable', 'it is not there');
    };
    await run({}, {openStore});
    expect(fake.exits).to.deep.equal([]);
    expect(fake.listenerCount('SIGTERM')).to.equal(0);
  });

  it('exits at once on a second signal', async () => {
    const {url, ended} = await started();
    const held = holdLists(store);
    const key = bootstrapped[0]?.secret;
    const head = `GET /api/connectors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const response = readAll(open(url, head));
    await held.arrived;
    fake.emit('SIGTERM', 'SIGTERM');
    fake.emit('SIGINT', 'SIGINT');
    expect(fake.exits).to.deep.equal([130]);
    held.release();
    await response;
    await ended;
  });

  for (const [kind, expected] of [
    ['locked', 'unavailable'],
    ['damaged', 'unavailable'],
    ['format', 'usage'],
    ['full', 'unavailable'],
    ['forbidden', 'usage'],
    ['missing', 'not_found'],
  ] as const) {
    it(`reports the reason of a store that fails to open with the error ${kind}`, async () => {
      const openStore = () => Promise.reject(new StoreError(kind, 'words'));
      const error = await failure(() => run({}, {openStore}));
      expect(error).to.include({kind: expected, message: 'words', reason: `store-${kind}`});
    });
  }

  it('closes the store and creates no API key when it cannot listen', async () => {
    const {url} = await started();
    const second = new MemoryStore();
    const port = Number(new URL(url).port);
    const attempt = run({port, directory: undefined}, {openStore: async () => second});
    expect(await failure(() => attempt)).to.include({kind: 'unavailable'});
    expect(second.isClosed).to.equal(true);
    expect(second.state.apiKeys.size).to.equal(0);
    expect(bootstrapped).to.have.length(1);
  });

  for (const options of [
    {tokenTtl: 59},
    {tokenTtl: 86_401},
    {heartbeatInterval: 0},
    {heartbeatInterval: 86_401},
    {tokenTtl: Number.NaN},
    {host: '0.0.0.0'},
  ]) {
    it(`refuses ${JSON.stringify(options)} before it opens the store`, async () => {
      const openStore = () => expect.fail('it opened the store');
      expect(await failure(() => run(options, {openStore}))).to.include({kind: 'usage'});
    });
  }
});

/** Makes lists wait in the store until they are released. */
function holdLists(store: MemoryStore): Gate {
  const list = store.listConnectors.bind(store);
  const gate = createGate();
  store.listConnectors = async function* (...range) {
    await gate.wait();
    yield* list(...range);
  };
  return gate;
}
