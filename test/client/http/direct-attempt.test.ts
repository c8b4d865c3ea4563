import {brotliCompressSync, gzipSync} from 'node:zlib';
import {expect} from 'chai';
import {createBulkClient, createClient} from '../../../src/client/create-client.js';
import type {Client} from '../../../src/client/types.js';
import {AppError} from '../../../src/errors.js';
import {closedPort} from '../../support/ports.js';
import {
  bytes,
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../../support/third-party-service.js';

const created = {id: 'con_1', name: 'web', status: 'offline', api_key: 'the-key-of-web'};

/** A response that ends with its connection. */
const broken: Respond = (_, response) => {
  response.writeHead(201, {'content-type': 'application/json', 'content-length': '500'});
  response.write('{"id": ', () => response.destroy());
};

/** Bytes as they are, and the end of the connection. */
const raw =
  (text: string): Respond =>
  (_, response) => {
    response.socket?.end(text);
  };

const late: Respond = (_, response) => {
  response.writeHead(201, {'content-type': 'application/json', 'content-length': '500'});
  response.write('{"id": ');
};

const responses: Readonly<Record<string, Respond>> = {
  'a success': json(created, 201),
  'a compressed success': bytes(
    gzipSync(JSON.stringify(created)),
    {'content-encoding': 'gzip', 'content-type': 'application/json'},
    201,
  ),
  'a corrupt compressed body': bytes('not gzip', {'content-encoding': 'gzip'}, 201),
  'a compressed body that breaks off': bytes(
    gzipSync(JSON.stringify(created)).subarray(0, 30),
    {'content-encoding': 'gzip'},
    201,
  ),
  'an empty compressed body': bytes('', {'content-encoding': 'gzip'}, 201),
  'a compressed body over 1 MiB': bytes(
    gzipSync(JSON.stringify({...created, filler: 'x'.repeat(1_100_000)})),
    {'content-encoding': 'gzip'},
    201,
  ),
  'an unknown content coding': bytes('{}', {'content-encoding': 'rot13'}, 201),
  'a body that ends with its connection': raw(
    `HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n${JSON.stringify(created)}`,
  ),
  'a chunked body that breaks off': raw(
    'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{"id"',
  ),
  'early hints before a success': (...call) => {
    call[1].writeEarlyHints({link: '</a.css>; rel=preload'});
    json(created, 201)(...call);
  },
  'what is not HTTP': raw('SSH-2.0-OpenSSH_9.6\r\n'),
  'more headers than can be read': raw(`HTTP/1.1 201 Created\r\nX-A: ${'a'.repeat(20_000)}\r\n`),
  'an empty success': bytes('', {}, 204),
  'text in place of JSON': bytes('welcome', {'content-type': 'text/plain'}),
  'a refused token': json({error: 'used'}, 409),
  'a refused key': json({error: 'no'}, 401),
  'too many requests': json({error: 'slow'}, 429, {'retry-after': '7'}),
  'an internal error': bytes('<html>oops</html>', {'content-type': 'text/html'}, 500),
  'a body over 1 MiB': json({...created, filler: 'x'.repeat(1_100_000)}, 201),
  'a redirect': (request, ...rest) =>
    request.path === '/elsewhere'
      ? json(created, 201)(request, ...rest)
      : json('', 307, {location: '/elsewhere'})(request, ...rest),
  'a redirect to a GET': json('', 303, {location: '/elsewhere'}),
  'a redirect to another origin': json('', 308, {location: 'http://127.0.0.9:9/'}),
  'a redirect without an address': json('', 307),
  'a redirect loop': json('', 307, {location: '/again'}),
  'a connection that closes without a response': (_, response) => response.destroy(),
  'a body that breaks off': broken,
  'a body that never ends': late,
  'a response that is too late': () => undefined,
};

/** Those that only the time limit ends. */
const endless: ReadonlySet<string> = new Set([
  'a body that never ends',
  'a response that is too late',
]);

/** What a caller sees of a call, without what differs from run to run. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    const {kind, message, reason, status, retryAfter, outcomeUnknown} = error as AppError;
    const sentence = message.replaceAll(/:\d+/g, ':PORT').replace(/HPE_\w+/, 'HPE');
    return {kind, message: sentence, reason, status, retryAfter, outcomeUnknown};
  }
}

const activate = (client: Client) =>
  client.activateConnector({token: 't0ken', name: 'web', idempotencyKey: 'k'});

/** The first request is one of few to any client: an ordinary response, and then the one to test. */
const second =
  (respond: Respond): Respond =>
  (seen, response, index) =>
    index === 0 ? json(created, 201)(seen, response, index) : respond(seen, response, index);

describe('the client for many requests', () => {
  afterEach(closeThirdPartyServices);

  for (const [what, respond] of Object.entries(responses)) {
    it(`reports ${what} as the client for few requests does`, async () => {
      const outcomes = [];
      const seen = [];
      for (const create of [createClient, createBulkClient]) {
        const service = await thirdPartyService(second(respond));
        const {url: baseUrl} = service;
        const timeout = endless.has(what) ? 1500 : 20_000;
        const client = create({baseUrl, apiKey: 'sesame', retries: 0, timeout});
        await activate(client);
        outcomes.push(await outcome(activate(client)));
        seen.push(service.seen);
      }
      expect(outcomes[1]).to.deep.equal(outcomes[0]);
      const [few, many] = seen.map((requests) => requests.at(-1));
      for (const field of ['method', 'path', 'body'] as const) {
        expect(many?.[field]).to.equal(few?.[field]);
      }
      const sent = ['authorization', 'content-type', 'content-length', 'idempotency-key'] as const;
      for (const name of [...sent, 'user-agent', 'accept'] as const) {
        expect(many?.headers[name]).to.equal(few?.headers[name]);
      }
    });
  }

  it('reports a closed port as the client for few requests does: nothing was sent', async () => {
    const options = {baseUrl: `http://127.0.0.1:${await closedPort()}`, apiKey: 'a', retries: 0};
    const few = await outcome(activate(createClient(options)));
    expect(await outcome(activate(createBulkClient(options)))).to.deep.equal(few);
    expect(few).to.deep.include({outcomeUnknown: false, kind: 'unavailable'});
  });

  it('reports that nothing was sent when the service is gone after a first request', async () => {
    const service = await thirdPartyService(json(created, 201));
    const client = createBulkClient({baseUrl: service.url, apiKey: 'a', retries: 0});
    await activate(client);
    await service.close();
    const failure = await outcome(activate(client));
    expect(failure).to.deep.include({outcomeUnknown: false, reason: 'connection-refused'});
  });

  it('refuses an Idempotency-Key that no header can carry as the client for few requests does', async () => {
    const outcomes = [];
    for (const create of [createClient, createBulkClient]) {
      const {url: baseUrl} = await thirdPartyService(json(created, 201));
      const client = create({baseUrl, apiKey: 'a', retries: 0});
      await activate(client);
      const call = {token: 't0ken', name: 'web', idempotencyKey: 'a\nb'};
      outcomes.push(await outcome(client.activateConnector(call)));
    }
    expect(outcomes[1]).to.deep.equal(outcomes[0]);
  });

  it('sends to a service that sends 100 Continue before each response', async () => {
    const {url, seen} = await thirdPartyService((request, response, index) => {
      response.writeContinue();
      json(created, 201)(request, response, index);
    });
    const client = createBulkClient({baseUrl: url, retries: 0});
    for (let sent = 0; sent < 3; sent += 1) await activate(client);
    expect(seen).to.have.length(3);
  });

  it('loses one request at most to a service that begins to send 100 Continue', async () => {
    const {url} = await thirdPartyService((request, response, index) => {
      if (index > 0) response.writeContinue();
      json(created, 201)(request, response, index);
    });
    const client = createBulkClient({baseUrl: url, apiKey: 'a', retries: 0});
    const outcomes = [];
    for (let sent = 0; sent < 5; sent += 1) outcomes.push(await outcome(activate(client)));
    const lost = outcomes.filter((one) => one instanceof Object && 'outcomeUnknown' in one);
    expect(lost).to.have.length.at.most(1);
  });

  const unended = {
    'a corrupt compressed body': ['gzip', Buffer.from('not gzip')],
    'a compressed body with more behind it': [
      'br',
      Buffer.concat([brotliCompressSync(JSON.stringify(created)), Buffer.from('more')]),
    ],
  } as const;
  for (const [what, [coding, body]] of Object.entries(unended)) {
    it(`sends the next request at once after ${what} that does not end`, async () => {
      const {url} = await thirdPartyService((request, response, index) => {
        if (index !== 1) return json(created, 201)(request, response, index);
        response.writeHead(201, {'content-encoding': coding, 'content-length': '500'});
        response.write(body);
      });
      const client = createBulkClient({baseUrl: url, apiKey: 'a', retries: 0, timeout: 20_000});
      for (let sent = 0; sent < 2; sent += 1) await outcome(activate(client));
      const {connector} = await activate(client);
      expect(connector?.id).to.equal('con_1');
    });
  }

  it('loses one request at most to a service that closes each connection without saying so', async () => {
    const token = {token: 't', expires_at: '2099-01-01T00:00:00Z'};
    const {url} = await thirdPartyService((request, response, index) => {
      const {socket} = response;
      response.on('finish', () => socket?.end());
      json(token)(request, response, index);
    });
    const client = createBulkClient({baseUrl: url, apiKey: 'a', retries: 0});
    const outcomes = [];
    for (let sent = 0; sent < 10; sent += 1) outcomes.push(await outcome(client.createToken()));
    const lost = outcomes.filter((one) => one instanceof Object && 'outcomeUnknown' in one);
    expect(lost).to.have.length.at.most(1);
  });

  it('reports a service without TLS as the client for few requests does', async () => {
    const {url} = await thirdPartyService(json(created));
    const options = {baseUrl: url.replace('http:', 'https:'), apiKey: 'a', retries: 0};
    const few = await outcome(activate(createClient(options)));
    expect(await outcome(activate(createBulkClient(options)))).to.deep.equal(few);
  });

  it('fails when the service switches to another protocol, which ends the connection', async () => {
    const {url} = await thirdPartyService(
      second((_, response) => {
        response.socket?.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
      }),
    );
    const client = createBulkClient({baseUrl: url, retries: 0});
    await activate(client);
    const failure = await outcome(activate(client));
    expect(failure).to.deep.include({kind: 'unavailable', outcomeUnknown: true});
  });

  it('sends requests in turn over one connection', async () => {
    const ports = new Set<number | undefined>();
    const {url} = await thirdPartyService((seen, response, index) => {
      ports.add(response.socket?.remotePort);
      json(created, 201)(seen, response, index);
    });
    const client = createBulkClient({baseUrl: url, retries: 0});
    await activate(client);
    ports.clear();
    for (let sent = 0; sent < 3; sent += 1) await activate(client);
    expect(ports).to.have.length(1);
  });
});
