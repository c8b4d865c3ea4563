import {once} from 'node:events';
import {expect} from 'chai';
import {limits} from '../../src/contract/index.js';
import {firstKey} from '../../src/domain/activation.js';
import type {ConnectorRecord} from '../../src/domain/records.js';
import type {Listener} from '../../src/server/net/listener.js';
import {StoreError} from '../../src/store/store.js';
import {open, parseResponse, readAll, readOnce} from '../support/server/raw-http.js';
import {listeningService, type Service} from '../support/server/service.js';

const batchSize = 1000;

describe('the streamed list', () => {
  let service: Service;
  let listener: Listener;
  /** Batches that the service has read from the store, and whether it has closed the list. */
  let asked: number;
  let closed: Promise<void>;
  let lines: Service['lines'];

  beforeEach(async () => {
    ({service, listener} = await listeningService());
    ({lines} = service);
    asked = 0;
  });

  const ask = (key = service.key) =>
    open(
      listener.url,
      `GET /api/connectors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );

  /** Makes the store list this many batches, and then call `end`. */
  function serveBatches(count: number, end: () => void = () => undefined): void {
    let letGo: () => void = () => undefined;
    closed = new Promise((resolve) => {
      letGo = resolve;
    });
    service.store.listConnectors = async function* () {
      try {
        for (; asked < count; asked += 1) yield batch(asked);
        end();
      } finally {
        letGo();
      }
    };
  }

  it('returns all connectors in several chunks', async () => {
    serveBatches(5);
    const text = await readAll(ask());
    expect(text).to.match(/^transfer-encoding: chunked\r$/im);
    expect(text.match(/"id":"con_/g)).to.have.length(5 * batchSize);
    expect(text).to.match(/0\r\n\r\n$/);
  });

  for (const [what, query, count] of [
    ['lists', '', 3 * batchSize],
    ['pages', '?limit=1000', batchSize],
  ] as const) {
    it(`delays other requests by at most one batch, however many ${what} are read at once`, async () => {
      service.store.listConnectors = async function* () {
        for (let number = 0; number < 3; number += 1) yield batch(number);
      };
      // The clock is read once for each connector that is written.
      let written = 0;
      Object.defineProperty(service, 'time', {get: () => (written += 1)});
      const headers = {authorization: `Bearer ${service.key}`};
      const lists = Promise.all(
        Array.from({length: 20}, () =>
          service.app.inject({url: `/api/connectors${query}`, headers}),
        ),
      );
      let isDone = false;
      void lists.then(() => (isDone = true));
      let most = 0;
      while (!isDone) {
        const before = written;
        await new Promise(setImmediate);
        most = Math.max(most, written - before);
      }
      for (const {statusCode, payload} of await lists) {
        expect(statusCode).to.equal(200);
        expect(payload.match(/"id":"con_/g)).to.have.length(count);
      }
      expect(most).to.be.within(batchSize, 2 * batchSize);
    });
  }

  it('stops reading the store for a client that does not read', async () => {
    serveBatches(10_000);
    const socket = ask();
    await once(socket, 'readable');
    // Kernel and stream buffers fill first; then the service stops reading the store.
    let before = -1;
    while (before !== asked) {
      before = asked;
      for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
    }
    expect(asked).to.be.within(1, 1000);
    socket.destroy();
    await closed;
  });

  it('comes in parts of at most 32 KiB, however long the names', async () => {
    service.store.listConnectors = async function* () {
      yield batch(0).map((record) => ({...record, name: '☃'.repeat(128)}));
    };
    const parts: number[] = [];
    const text = await readAll(ask());
    for (const [, size = ''] of text.matchAll(/^([\da-f]+)\r$/gm)) parts.push(parseInt(size, 16));
    expect(parts).to.have.length.within(10, 50);
    expect(Math.max(...parts)).to.be.at.most(32 * 1024);
  });

  it('is refused with 503 while its organization has too many unfinished ones, and no other is', async () => {
    serveBatches(10_000);
    const other = await service.addKey('other');
    const unread = Array.from({length: limits.organization.lists}, () => ask());
    for (const socket of unread) await once(socket, 'readable');
    const {status, headers, body} = parseResponse(await readAll(ask()));
    expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
    expect(JSON.parse(body).code).to.equal('too_many_lists');
    const allowed = ask(other);
    expect(await readOnce(allowed)).to.match(/^HTTP\/1\.1 200 /);
    for (const socket of [unread.pop(), allowed]) socket?.destroy();
    for (;;) {
      const next = ask();
      const answer = await readOnce(next);
      next.destroy();
      if (answer.startsWith('HTTP/1.1 200 ')) break;
    }
    for (const socket of unread) socket.destroy();
  });

  it('does not count for its organization when the client was gone before its key was found', async () => {
    serveBatches(1);
    const {store} = service;
    const find = store.findApiKey.bind(store);
    for (let gone = 1; gone <= limits.organization.lists; gone += 1) {
      await new Promise<void>((done) => {
        store.findApiKey = async (hash) => {
          socket.resetAndDestroy();
          while (lines.length < gone) await new Promise(setImmediate);
          done();
          return find(hash);
        };
        const socket = ask();
      });
    }
    store.findApiKey = find;
    expect(parseResponse(await readAll(ask())).status).to.equal(200);
  });

  it('closes its iterator when the client disconnects', async () => {
    serveBatches(10_000);
    const socket = ask();
    await readOnce(socket);
    socket.destroy();
    await closed;
    expect(asked).to.be.below(10_000);
    while (lines.length === 0) await new Promise(setImmediate);
    expect(lines[0]?.fields).to.include({route: '/api/connectors', aborted: true});
  });

  it('is cut off, never completed, when the store fails in the middle', async () => {
    serveBatches(3, () => {
      throw new StoreError('unavailable', 'gone');
    });
    const text = await readAll(ask());
    expect(text).to.match(/^HTTP\/1\.1 200 OK/);
    expect(text).to.match(/"id":"con_/);
    expect(text).not.to.match(/0\r\n\r\n$/);
    const failures = lines.filter(({level}) => level === 'error');
    expect(failures.map(({message}) => message)).to.deep.equal(['store_unavailable']);
  });
});

function batch(number: number): ConnectorRecord[] {
  return Array.from({length: batchSize}, (_, index) => ({
    id: `con_${String(number * batchSize + index).padStart(26, '0')}`,
    organization: 'default',
    name: `web-${index}`,
    keyHash: '',
    activatedAt: 0,
    lastHeartbeatAt: null,
    ...firstKey,
  }));
}
