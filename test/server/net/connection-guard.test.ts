import {once} from 'node:events';
import type {Socket} from 'node:net';
import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import {firstKey} from '../../../src/domain/connector-keys.js';
import {newConnectorDefaults} from '../../../src/domain/records.js';
import type {MemoryLimits} from '../../../src/server/net/connection-guard.js';
import type {Listener} from '../../../src/server/net/listener.js';
import {createGate} from '../../support/server/gate.js';
import {keepingLog, type LoggedLine} from '../../support/server/logs.js';
import {open, parseResponse, readAll, readOnce} from '../../support/server/raw-http.js';
import {listeningService, type Service} from '../../support/server/service.js';

describe('the connection guard', () => {
  let service: Service;
  let listener: Listener;
  let lines: LoggedLine[];
  let sockets: Socket[];

  async function start(memoryLimits: Partial<MemoryLimits> = {}): Promise<void> {
    const kept = keepingLog();
    lines = kept.lines;
    ({service, listener} = await listeningService({memoryLimits}, {log: kept.log}));
  }
  beforeEach(() => {
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await listener.close();
  });

  function connection(text: string): Socket {
    const socket = open(listener.url, text);
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  const get = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;

  it('cuts silent connections near the limit, oldest first, so that each fresh request is answered', async () => {
    const kept = keepingLog();
    lines = kept.lines;
    const maxConnections = 64;
    ({service, listener} = await listeningService({maxConnections}, {log: kept.log}));
    const active = connection(get('/healthz'));
    expect(parseResponse(await readOnce(active)).status).to.equal(200);
    const silent = Array.from({length: 80}, () => connection(''));
    const first = once(silent[0]!, 'close');
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    for (let count = 0; count < 100; count += 1) {
      const fresh = connection(get('/healthz'));
      expect(parseResponse(await readOnce(fresh)).status).to.equal(200);
      fresh.destroy();
      connection('GET /heal');
    }
    await first;
    active.write(get('/healthz'));
    expect(parseResponse(await readOnce(active)).status).to.equal(200);
    expect(await counted('silent')).to.be.above(80);
    expect(cuts().every(({reason}) => reason === 'silent')).to.equal(true);
    expect(lines.find(({message}) => message === 'connection cut')?.level).to.equal('debug');
  });

  const cuts = () =>
    lines.filter(({message}) => message === 'connection cut').map(({fields}) => fields);

  const counted = (reason: string) =>
    service.metric(`connectorctl_connections_cut_total{reason="${reason}"}`);

  /** Makes /readyz wait, and counts the checks of the store. */
  function holdReady() {
    const gate = createGate();
    const calls = {count: 0};
    service.store.check = async () => {
      calls.count += 1;
      await gate.wait();
      return [];
    };
    return {...gate, calls};
  }

  /** Fills the store with connectors whose page of 1,000 takes more than 200 KB. */
  function fill(): void {
    for (let number = 0; number < 1000; number += 1) {
      const id = `con_${String(number).padStart(26, '0')}`;
      service.store.connectors.set(id, {
        id,
        organization: 'default',
        name: 'n'.repeat(128),
        keyHash: 'x',
        activatedAt: 0,
        ...newConnectorDefaults,
        ...firstKey,
      });
    }
  }

  it('handles pipelined requests one after the other', async () => {
    await start();
    const ready = holdReady();
    const responses = readAll(connection(get('/readyz').repeat(3) + get('/healthz')));
    await ready.arrived;
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(ready.calls.count).to.equal(1);
    ready.release();
    for await (const _ of every(5)) if (lines.length === 4) break;
    expect(ready.calls.count).to.equal(3);
    sockets[0]?.end();
    expect((await responses).match(/HTTP\/1\.1 200 OK/g)).to.have.length(4);
  });

  it('cuts, logs and counts a connection with too many pipelined requests', async () => {
    await start({waitingRequests: 10});
    const ready = holdReady();
    const within = readAll(connection(get('/readyz') + get('/healthz').repeat(10)));
    await ready.arrived;
    const beyond = readAll(connection(get('/readyz') + get('/healthz').repeat(11)));
    expect(await beyond).to.equal('');
    expect(cuts()).to.deep.equal([{remote_address: '127.0.0.1', reason: 'waiting_requests'}]);
    ready.release();
    expect(await counted('waiting_requests')).to.equal(1);
    for await (const _ of every(5)) if (lines.length >= 13) break;
    sockets[0]?.end();
    expect((await within).match(/HTTP\/1\.1 200 OK/g)).to.have.length(11);
  });

  it('handles no request after one with Connection: close', async () => {
    await start();
    const ready = holdReady();
    const last = get('/readyz').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const responses = readAll(connection(last + get('/readyz')));
    await ready.arrived;
    ready.release();
    expect((await responses).match(/HTTP\/1\.1 200 OK/g)).to.have.length(1);
    expect(ready.calls.count).to.equal(1);
  });

  for (const [what, path] of [
    ['pages', '/api/connectors?limit=1000'],
    ['streamed lists', '/api/connectors'],
  ] as const) {
    it(`bounds the memory of all connections: cuts some clients that do not read their ${what}, and serves others`, async () => {
      await start({bytes: 2_000_000});
      fill();
      let clients = 0;
      while (cuts().length === 0) {
        // More than the kernel buffers, which are not the service's memory.
        const socket = connection(get(path).repeat(50));
        socket.pause();
        await once(socket, 'connect');
        clients += 1;
        for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
      }
      expect(clients).to.be.above(2);
      expect(cuts()[0]).to.deep.equal({remote_address: '127.0.0.1', reason: 'memory'});
      expect(await counted('memory')).to.equal(cuts().length);
      const reader = connection(get('/healthz'));
      expect(parseResponse(await readOnce(reader)).status).to.equal(200);
    });
  }
});
