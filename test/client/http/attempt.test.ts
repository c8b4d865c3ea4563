import {gzipSync} from 'node:zlib';
import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {createClient} from '../../../src/client/create-client.js';
import type {Client} from '../../../src/client/types.js';
import {failure} from '../../support/client.js';
import {bytes, json, type Respond, thirdPartyService} from '../../support/third-party.js';

const created = {id: 'con_1', name: 'web', status: 'offline', api_key: 'the-key-of-web'};

/** Sends unchanged bytes and ends the connection. */
const raw =
  (text: string): Respond =>
  (_, response) => {
    response.socket?.end(text);
  };

/** After these the service may have activated the connector. */
const lostResponses: Readonly<Record<string, Respond>> = {
  'is only a closed connection': (_, response) => response.destroy(),
  'breaks off': (_, response) => {
    response.writeHead(201, {'content-type': 'application/json', 'content-length': '500'});
    response.write('{"id": ', () => response.destroy());
  },
  'breaks off between two chunks': raw(
    'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{"id"',
  ),
  'breaks off in a compressed body': bytes(
    gzipSync(JSON.stringify(created)).subarray(0, 30),
    {'content-encoding': 'gzip'},
    201,
  ),
  'is a compressed body that is corrupt': bytes('not gzip', {'content-encoding': 'gzip'}, 201),
  'has headers that are too long to read': raw(
    `HTTP/1.1 201 Created\r\nX-A: ${'a'.repeat(20_000)}\r\n`,
  ),
  'has a chunk that is not HTTP': raw(
    'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
  ),
  'is cut off JSON': bytes('{"id":"con_1","api_k', {'content-type': 'application/json'}, 201),
  'is cut off JSON without a media type': bytes('{"id":"con_1","api_k', {}, 201),
  'is cut off JSON as text': bytes('{"id":"con_1","api_k', {'content-type': 'text/plain'}, 201),
  'is empty and claims to be JSON': bytes('', {'content-type': 'application/json'}, 201),
  'is a web page': bytes('<!doctype html><title>Log in</title>', {}, 201),
  'is longer than 1 MiB': json({...created, filler: 'x'.repeat(1_100_000)}, 201),
  'is longer than 1 MiB once it is decompressed': bytes(
    gzipSync(JSON.stringify({...created, filler: 'x'.repeat(1_100_000)})),
    {'content-encoding': 'gzip'},
    201,
  ),
};

const readableResponses: Readonly<Record<string, Respond>> = {
  'ends with its connection': raw(
    `HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n${JSON.stringify(created)}`,
  ),
  'follows early hints': (...call) => {
    call[1].writeEarlyHints({link: '</a.css>; rel=preload'});
    json(created, 201)(...call);
  },
  'follows 100 Continue': (...call) => {
    call[1].writeContinue();
    json(created, 201)(...call);
  },
};

const activate = (client: Client) =>
  client.activateConnector({token: 't0ken', name: 'web', idempotencyKey: 'k'});

const withoutRetries = (baseUrl: string) => createClient({baseUrl, apiKey: 'sesame', retries: 0});

/** Ends each connection after its response, without a word in it. */
const closing =
  (respond: Respond): Respond =>
  (seen, response, index) => {
    const {socket} = response;
    response.on('finish', () => socket?.end());
    respond(seen, response, index);
  };

describe('the client', () => {
  for (const [what, respond] of Object.entries(lostResponses)) {
    it(`reports an unknown outcome when the response to an activation, or to the creation of a token, ${what}`, async () => {
      const {url} = await thirdPartyService(respond);
      const error = await failure(() => activate(withoutRetries(url)));
      expect(error.outcomeUnknown).to.equal(true);
      expect(error.details['mayExist']).to.equal('connector');
      expect(error.message).not.to.include('sesame');
      expect(hintFor(error)).to.match(/^The connector may have been activated/);
      const creation = await failure(() => withoutRetries(url).createToken());
      expect(creation.outcomeUnknown).to.equal(true);
      expect(creation.details['mayExist']).to.equal('token');
    });
  }

  for (const [what, respond] of Object.entries(readableResponses)) {
    it(`reads a response that ${what}`, async () => {
      const {url} = await thirdPartyService(respond);
      const {connector} = await activate(withoutRetries(url));
      expect(connector?.id).to.equal('con_1');
    });
  }

  it('takes an empty body that claims to be compressed for an empty body', async () => {
    const {url} = await thirdPartyService(bytes('', {'content-encoding': 'gzip'}, 201));
    expect((await activate(withoutRetries(url))).raw).to.deep.equal({});
  });

  it('sends the next request at once after a corrupt compressed body that does not end', async () => {
    const {url} = await thirdPartyService((request, response, index) => {
      if (index !== 0) return json(created, 201)(request, response, index);
      response.writeHead(201, {'content-encoding': 'gzip', 'content-length': '500'});
      response.write('not gzip');
    });
    const client = withoutRetries(url);
    await failure(() => activate(client));
    expect((await activate(client)).connector?.id).to.equal('con_1');
  });

  it('sends requests in turn over one connection', async () => {
    const ports = new Set<number | undefined>();
    const {url} = await thirdPartyService((seen, response, index) => {
      ports.add(response.socket?.remotePort);
      json(created, 201)(seen, response, index);
    });
    const client = withoutRetries(url);
    for (let sent = 0; sent < 3; sent += 1) await activate(client);
    expect(ports).to.have.length(1);
  });

  it('loses one request at most to a service that closes each connection without saying so', async () => {
    const token = json({token: 't', expires_at: '2099-01-01T00:00:00Z'});
    const {url, seen} = await thirdPartyService(closing(token));
    const client = withoutRetries(url);
    const lost: unknown[] = [];
    for (let sent = 0; sent < 10; sent += 1) {
      await client.createToken().catch((error: unknown) => lost.push(error));
    }
    expect(lost).to.have.length.at.most(1);
    expect(seen).to.have.length.at.least(9);
  });
});
