import {once} from 'node:events';
import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import {firstKey} from '../../src/domain/activation.js';
import {startService} from '../support/process/child.js';
import {open} from '../support/server/raw-http.js';
import {listeningService} from '../support/server/service.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('the service under abuse', () => {
  it('cuts a client that does not read its response', async () => {
    const {service, listener} = await listeningService({timeLimits: {idle: 200}});
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
    const socket = open(
      listener.url,
      `GET /api/connectors HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`,
    );
    await once(socket, 'connect');
    const connections = () =>
      new Promise<number>((resolve) =>
        service.app.server.getConnections((_, count) => resolve(count)),
      );
    for await (const _ of every(20)) if ((await connections()) === 0) break;
  });
});

describe('a service with a small heap', () => {
  const at = temporaryDirectory();

  it('survives clients that pipeline thousands of requests and read nothing', async function () {
    this.timeout(180_000);
    const env = {NODE_OPTIONS: '--max-old-space-size=128'};
    const service = await startService(at('store'), ['--log-level', 'silent'], {env});
    const clients: ReturnType<typeof open>[] = [];
    for (const [line, count] of [
      ['GET /openapi.json', 1600],
      ['GET /openapi.json', 100],
      ['HEAD /openapi.json', 1600],
      ['GET /nowhere', 1600],
    ] as const) {
      const text = `${line} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count);
      clients.push(...Array.from({length: 8}, () => open(service.url, text).pause()));
    }
    for (let attempt = 0; attempt < 20; attempt += 1) {
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    }
    for (const client of clients) client.destroy();
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });
});
