import {writeFileSync} from 'node:fs';
import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import type {Listener, ListenOptions} from '../../src/server/net/listener.js';
import {makeCertificate} from '../support/certificates.js';
import {createGate} from '../support/server/gate.js';
import {keepingLog, type LoggedLine} from '../support/server/logs.js';
import {exchange, open, parseResponse, readAll} from '../support/server/raw-http.js';
import {listeningService, type Service} from '../support/server/service.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

describe('an invalid or unusual request', () => {
  let service: Service;
  let listener: Listener;
  let lines: LoggedLine[];

  async function start(options?: Partial<ListenOptions>): Promise<void> {
    const kept = keepingLog();
    lines = kept.lines;
    ({service, listener} = await listeningService(options, {log: kept.log}));
  }
  afterEach(() => listener.close());

  const secret = 'act_secret\u001b[31m';
  const post = 'POST /api/connectors/activate HTTP/1.1\r\nHost: x\r\n';
  const refused = [
    [`\u0016\u0003\u0001 ${secret}\r\n\r\n`, 'HPE_INVALID_METHOD'],
    [`GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n ${secret}\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
    [`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
    [
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      'HPE_INVALID_TRANSFER_ENCODING',
    ],
    [`${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
  ] as const;
  for (const [sent, reason] of refused) {
    it(`is refused, counted, and logged without its content: ${JSON.stringify(sent)}`, async () => {
      await start();
      const response = parseResponse(await exchange(listener.url, sent));
      expect(response.status).to.equal(400);
      expect(response.headers['content-type']).to.match(/^application\/problem\+json/);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.deep.equal({
        level: 'info',
        message: 'request',
        fields: {
          request_id: response.headers['x-request-id'],
          remote_address: '127.0.0.1',
          method: null,
          route: null,
          status: 400,
          code: 'request_invalid',
          reason,
        },
      });
      expect(JSON.stringify(lines)).not.to.include('secret');
      expect(await service.metric('connectorctl_problems_total{code="request_invalid"}')).to.equal(
        1,
      );
    });
  }

  it('closes the connection of a client that takes the service for a proxy', async () => {
    await start();
    const text = 'CONNECT secret.example:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await exchange(listener.url, text)).to.equal('');
  });

  it('has no status in the log and the metrics when its client disconnects first', async () => {
    await start();
    const gate = createGate();
    service.store.check = async () => {
      await gate.wait();
      return [];
    };
    const socket = open(listener.url, 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await gate.arrived;
    // One that only ends its own side still gets the response.
    socket.resetAndDestroy();
    for await (const _ of every(5)) if (lines.length > 0) break;
    gate.release();
    expect(lines[0]?.fields).to.include({status: null, aborted: true});
    const counted = 'connectorctl_http_request_duration_seconds_count{.*status="none"}';
    expect(await service.metric(counted)).to.equal(1);
  });

  describe('with TLS', () => {
    const inDirectory = temporaryDirectory();

    it('is logged with the reason of the failed handshake', async () => {
      const {cert, key} = await makeCertificate('127.0.0.1', 0, 30);
      const tls = {cert: inDirectory('cert.pem'), key: inDirectory('key.pem')};
      writeFileSync(tls.cert, cert);
      writeFileSync(tls.key, key);
      await start({tls});
      await readAll(open(listener.url, `GET /${secret} HTTP/1.1\r\nHost: x\r\n\r\n`));
      expect(lines.map(({message, fields}) => [message, fields])).to.deep.equal([
        ['TLS handshake failed', {remote_address: '127.0.0.1', reason: 'ERR_SSL_HTTP_REQUEST'}],
      ]);
    });
  });
});
