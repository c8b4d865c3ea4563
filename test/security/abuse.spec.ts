import {once} from 'node:events';
import type {Socket} from 'node:net';
import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import {firstKey} from '../../src/domain/connector-keys.js';
import type {Listener} from '../../src/server/net/listener.js';
import {startService} from '../support/process/child.js';
import {open} from '../support/server/raw-http.js';
import {listeningService, type Service} from '../support/server/service.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('the service under abuse', () => {
  let service: Service;
  let listener: Listener;
  let sockets: Socket[];

  async function start(...options: Parameters<typeof listeningService>): Promise<void> {
    ({service, listener} = await listeningService(...options));
  }
  beforeEach(() => {
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  function connection(text: string): Socket {
    const socket = open(listener.url, text);
    sockets.push(socket);
    return socket;
  }

  it('cuts a client that does not read its response', async () => {
    await start({timeLimits: {idle: 200}});
    const record = {
      organization: 'default',
      name: 'n'.repeat(128),
      keyHash: 'x',
      activatedAt: 0,
      lastHeartbeatAt: null,
      ...firstKey,
    };
    const ids = Array.from(
      {length: 50_000},
      (_, number) => `con_${String(number).padStart(26, '0')}`,
    );
    service.store.state.apply({connectors: ids.map((id) => ({...record, id}))});
    const authorization = `Authorization: Bearer ${service.key}`;
    const socket = connection(
      `GET /api/connectors HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`,
    );
    await once(socket, 'connect');
    const open = () =>
      new Promise<number>((resolve) =>
        service.app.server.getConnections((_, count) => resolve(count)),
      );
    for await (const _ of every(20)) if ((await open()) === 0) break;
    socket.on('error', () => undefined);
  });
});

describe('a service with a small heap', () => {
  const at = temporaryDirectory();

  it('survives clients that pipeline thousands of requests and read nothing', async function () {
    this.timeout(180_000);
    const env = {NODE_OPTIONS: '--max-old-space-size=128'};
    const service = await startService(at('store'), ['--log-level', 'silent'], {env});
    const sockets: Socket[] = [];
    try {
      for (const [line, count] of [
        ['GET /openapi.json', 1600],
        ['GET /openapi.json', 100],
        ['HEAD /openapi.json', 1600],
        ['GET /nowhere', 1600],
      ] as const) {
        const text = `${line} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count);
        for (let client = 0; client < 8; client += 1) {
          const socket = open(service.url, text);
          socket.on('error', () => undefined).pause();
          sockets.push(socket);
        }
      }
      for (let attempt = 0; attempt < 20; attempt += 1) {
        expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
      expect(await service.stop()).to.deep.equal({code: 0, signal: null});
    }
  });
});
