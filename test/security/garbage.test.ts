import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import type {Listener} from '../../src/server/net/listener.js';
import {createGate} from '../support/server/gate.js';
import {exchange, open, parseResponse} from '../support/server/raw-http.js';
import {listeningService, type Service} from '../support/server/service.js';

describe('an invalid or unusual request', () => {
  let service: Service;
  let listener: Listener;

  beforeEach(async () => {
    ({service, listener} = await listeningService());
  });

  const secret = 'act_secret\u001b[31m';
  const post = 'POST /api/connectors/activate HTTP/1.1\r\nHost: x\r\n';
  const refused = [
    `\u0016\u0003\u0001 ${secret}\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n ${secret}\r\n\r\n`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  ];
  for (const sent of refused) {
    it(`gets 400 and a closed connection, and is not repeated: ${JSON.stringify(sent)}`, async () => {
      const text = await exchange(listener.url, sent);
      expect(parseResponse(text).status).to.equal(400);
      expect(text).not.to.include('secret');
      expect(service.lines).to.deep.equal([]);
    });
  }

  it('gets 431 and a closed connection for headers that are too large', async () => {
    const head = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(parseResponse(await exchange(listener.url, head)).status).to.equal(431);
  });

  it('closes the connection of a client that takes the service for a proxy', async () => {
    const text = 'CONNECT secret.example:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await exchange(listener.url, text)).to.equal('');
  });

  it('has no status in the log and the metrics when its client disconnects first', async () => {
    const gate = createGate();
    service.store.check = async () => {
      await gate.wait();
    };
    const socket = open(listener.url, 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await gate.arrived;
    // One that only ends its own side still gets the response.
    socket.resetAndDestroy();
    for await (const _ of every(5)) if (service.lines.length > 0) break;
    gate.release();
    expect(service.lines[0]?.fields).to.include({status: null, aborted: true});
    const counted = 'connectorctl_http_request_duration_seconds_count{.*status="none"}';
    expect(await service.metric(counted)).to.equal(1);
  });
});
