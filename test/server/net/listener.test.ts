import {once} from 'node:events';
import {connect as connectTcp} from 'node:net';
import {connect as connectTls} from 'node:tls';
import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {Listener, type ListenOptions} from '../../../src/server/net/listener.js';
import {failure} from '../../support/client.js';
import {certificate, writeTls} from '../../support/network/certificates.js';
import {createGate, type Gate} from '../../support/server/gate.js';
import {exchange, open, parseResponse, readAll, readOnce} from '../../support/server/raw-http.js';
import {listeningService, type Service} from '../../support/server/service.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const loopback = {host: '127.0.0.1', port: 0};

describe('the listener', () => {
  let service: Service;
  let listener: Listener;

  async function start(options?: Partial<ListenOptions>): Promise<void> {
    ({service, listener} = await listeningService(options));
  }

  it('serves localhost under that name', async () => {
    await start({host: 'localhost'});
    expect(listener.url).to.match(/^http:\/\/localhost:\d+$/);
    expect((await fetch(`${listener.url}/healthz`)).status).to.equal(200);
  });

  it('serves a request on an open connection while it stops, then closes the connection', async () => {
    await start();
    const held = holdHeartbeats(service);
    const {id, key} = await service.connector();
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const busy = open(listener.url, `POST /api/connectors/${id}/heartbeat ${head}`);
    const responses = readAll(busy);
    await held.arrived;
    const closed = listener.close();
    busy.write(`GET /api/connectors/${id} ${head}`);
    held.release();
    const [first, second] = (await responses).split(/(?<=})(?=HTTP)/);
    expect(parseResponse(first ?? '').status).to.equal(200);
    if (second !== undefined) expect(parseResponse(second).headers['connection']).to.equal('close');
    await closed;
  });

  it('cuts requests that outlast the time limit of a shutdown', async () => {
    await start({timeLimits: {stop: 20}});
    const held = holdHeartbeats(service);
    const {id, key} = await service.connector();
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const response = readAll(open(listener.url, `POST /api/connectors/${id}/heartbeat ${head}`));
    await held.arrived;
    await listener.close();
    expect(await response).to.equal('');
    held.release();
  });

  const complete = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const [what, first, second] of [
    ['nothing at all', '', ''],
    ['half a request', 'GET /heal', ''],
    ['a request, and half of another', complete, 'GET /heal'],
  ] as const) {
    it(`stops without waiting for a client that sent ${what}`, async () => {
      await start({timeLimits: {stop: 3_600_000, stopUnused: 50}});
      const socket = open(listener.url, first);
      await (first === complete ? readOnce(socket) : once(socket, 'connect'));
      if (second !== '') socket.write(second);
      while ((await connectionCount(service)) === 0) await new Promise(setImmediate);
      await listener.close();
      expect(await readAll(socket)).to.equal('');
    });
  }

  it('gives an incomplete request a moment to arrive when it stops', async () => {
    await start({timeLimits: {stopUnused: 15_000}});
    const accepted = once(service.app.server, 'connection');
    const socket = open(listener.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n');
    const [connection] = await accepted;
    while (connection.bytesRead === 0) await new Promise(setImmediate);
    const closed = listener.close();
    socket.write('\r\n');
    expect(parseResponse(await readAll(socket)).status).to.equal(200);
    await closed;
  });

  for (const sent of [
    '',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    'POST /api/connectors/activate HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
  ]) {
    it(`cuts a client that stops after ${JSON.stringify(sent)}`, async () => {
      await start({timeLimits: {headers: 50, request: sent.endsWith('{') ? 50 : 5000}});
      expect(parseResponse(await exchange(listener.url, sent)).status).to.equal(408);
    });
  }

  it('closes a connection that was idle for the keep-alive limit', async () => {
    await start({timeLimits: {keepAlive: 20}});
    const response = await exchange(listener.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(parseResponse(response).status).to.equal(200);
  });

  it('drops connections above the limit', async () => {
    await start({maxConnections: 1});
    const first = open(listener.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await readOnce(first);
    expect(await exchange(listener.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).to.equal('');
    first.destroy();
  });
});

describe('a listener with TLS', () => {
  const at = temporaryDirectory();
  let tls: {cert: string; key: string};

  beforeEach(() => {
    tls = writeTls(at);
  });

  for (const scheme of ['http', 'https'] as const) {
    it(`answers a client that ends its side of the connection right after its request over ${scheme}`, async () => {
      const {service, listener} = await listeningService(scheme === 'https' ? {tls} : {});
      const held = holdHeartbeats(service);
      const {id, key} = await service.connector();
      const {hostname: host, port} = new URL(listener.url);
      const to = {host, port: Number(port), allowHalfOpen: true, rejectUnauthorized: false};
      const socket = scheme === 'https' ? connectTls(to) : connectTcp(to);
      await once(socket, scheme === 'https' ? 'secureConnect' : 'connect');
      socket.end(
        `POST /api/connectors/${id}/heartbeat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      const response = readAll(socket);
      await held.arrived;
      // The service reads the end of the connection before it responds.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      held.release();
      expect(parseResponse(await response).status).to.equal(200);
    });
  }

  for (const [what, connectTo] of [
    ['sent nothing', (port: number) => connectTcp(port, '127.0.0.1')],
    ['sent half a handshake', (port: number) => open(`https://127.0.0.1:${port}`, '\x16\x03\x01')],
    ['sent no request', (port: number) => connectTls({port, ca: certificate})],
  ] as const) {
    it(`stops without waiting for a client that ${what}`, async () => {
      const timeLimits = {stop: 3_600_000, stopUnused: 50};
      const {service, listener} = await listeningService({tls, timeLimits});
      const accepted = once(service.app.server, 'connection');
      const socket = connectTo(Number(new URL(listener.url).port));
      socket.on('error', () => undefined);
      if (what === 'sent no request') await once(socket, 'secureConnect');
      await accepted;
      await listener.close();
      socket.destroy();
    });
  }

  it('names the file that cannot be read', () => {
    const missing = {cert: at('none.pem'), key: tls.key};
    expectUsage(() => new Listener({...loopback, tls: missing}), missing.cert);
  });

  it('refuses files that are not a certificate and its key, before it listens', () => {
    const swapped = {cert: tls.key, key: tls.cert};
    expectUsage(() => new Listener({...loopback, tls: swapped}), 'certificate');
  });

  it('allows any host', () => {
    expect(() => new Listener({host: '0.0.0.0', port: 0, tls})).not.to.throw();
  });
});

describe('a listener without TLS', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost', '::ffff:127.0.0.1']) {
    it(`allows ${host}`, () => {
      expect(() => new Listener({host, port: 0})).not.to.throw();
    });
  }

  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'connectors.example', '::ffff:192.0.2.1', '']) {
    it(`refuses ${JSON.stringify(host)} without explicit consent to plain HTTP`, () => {
      expectUsage(() => new Listener({host, port: 0}), 'without TLS');
      expect(() => new Listener({host, port: 0, insecureHttp: true})).not.to.throw();
    });
  }
});

describe('the error of an unavailable port', () => {
  it('has its reason when the address is not local', async () => {
    const error = await listenFailure({host: '192.0.2.1', port: 0, insecureHttp: true});
    expect(error.kind).to.equal('usage');
    expect(error.reason).to.equal('listen-address-not-local');
  });
});

/** The error of listening there. */
function listenFailure(options: ListenOptions): Promise<AppError> {
  return failure(() => listeningService(options));
}

function expectUsage(action: () => unknown, words: string): void {
  try {
    action();
  } catch (error) {
    expect(error).to.be.an.instanceOf(AppError);
    expect(error).to.include({kind: 'usage'});
    if (error instanceof AppError) expect(error.message).to.include(words);
    return;
  }
  throw new Error('it did not throw');
}

function connectionCount({app}: Service): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));
}

/** Makes heartbeats wait in the store until they are released. */
function holdHeartbeats({store}: Service): Gate {
  const record = store.recordHeartbeat.bind(store);
  const gate = createGate();
  store.recordHeartbeat = async (...heartbeat) => {
    await gate.wait();
    return record(...heartbeat);
  };
  return gate;
}
