import {gzipSync} from 'node:zlib';
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
  'an unknown content coding': bytes('{}', {'content-encoding': 'rot13'}, 201),
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

/** What a caller sees of a call, without what differs from run to run. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    const {kind, message, reason, status, retryAfter, outcomeUnknown} = error as AppError;
    const sentence = message.replaceAll(/:\d+/g, ':PORT');
    return {kind, message: sentence, reason, status, retryAfter, outcomeUnknown};
  }
}

const activate = (client: Client) =>
  client.activateConnector({token: 't0ken', name: 'web', idempotencyKey: 'k'});

describe('the client for many requests', () => {
  afterEach(closeThirdPartyServices);

  for (const [what, respond] of Object.entries(responses)) {
    it(`reports ${what} as the client for few requests does`, async () => {
      const outcomes = [];
      const seen = [];
      for (const create of [createClient, createBulkClient]) {
        const service = await thirdPartyService(respond);
        const {url: baseUrl} = service;
        const client = create({baseUrl, apiKey: 'sesame', retries: 0, timeout: 500});
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

  it('reports a service without TLS as the client for few requests does', async () => {
    const {url} = await thirdPartyService(json(created));
    const options = {baseUrl: url.replace('http:', 'https:'), apiKey: 'a', retries: 0};
    const few = await outcome(activate(createClient(options)));
    expect(await outcome(activate(createBulkClient(options)))).to.deep.equal(few);
  });

  it('fails when the service switches to another protocol, which ends the connection', async () => {
    const {url} = await thirdPartyService((_, response) => {
      response.socket?.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
    const failure = await outcome(activate(createBulkClient({baseUrl: url, retries: 0})));
    expect(failure).to.deep.include({kind: 'unavailable', outcomeUnknown: true});
  });

  it('sends requests in turn over one connection', async () => {
    const ports = new Set<number | undefined>();
    const {url} = await thirdPartyService((seen, response, index) => {
      ports.add(response.socket?.remotePort);
      json(created, 201)(seen, response, index);
    });
    const client = createBulkClient({baseUrl: url, retries: 0});
    for (let sent = 0; sent < 3; sent += 1) await activate(client);
    expect(ports).to.have.length(1);
  });
});
