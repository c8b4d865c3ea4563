import {expect} from 'chai';
import {AppError} from '../../src/errors.js';
import {readOrigins} from '../../src/server/http/cors.js';
import {exchange, parseResponse} from '../support/server/raw-http.js';
import {eachWithService, type Service} from '../support/server/service.js';

const page = 'https://console.example';
const stranger = 'https://evil.example';

/** The CORS headers of a response. */
const corsHeaders = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(access-control-|vary$)/.test(name)),
  );

const preflight = (url: string, method: string, origin = page) => ({
  method: 'OPTIONS',
  url,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  },
});

/** Sends a request over a socket, with its target unchanged. */
async function overSocket(
  {app}: Service,
  method: string,
  target: string,
  headers: Record<string, string>,
) {
  if (!app.server.listening) await app.listen({host: '127.0.0.1', port: 0});
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`;
  return parseResponse(await exchange(app.listeningOrigin, head));
}

describe('pages of an allowed origin', () => {
  const suite = eachWithService({corsOrigins: [page, 'http://localhost:5173']});
  const preflightOf = (url: string, method: string, origin = page) =>
    suite.service.app.inject({...preflight(url, method, origin), method: 'OPTIONS'});

  for (const [url, method, methods] of [
    ['/api/connectors', 'GET', 'GET, HEAD'],
    ['/api/connectors/con_x', 'GET', 'GET, HEAD'],
    ['/api/connectors/create-token', 'POST', 'POST, GET, HEAD'],
    ['/api/connectors/activate', 'POST', 'POST, GET, HEAD'],
    ['/api/connectors/con_x/heartbeat', 'POST', 'POST'],
  ] as const) {
    it(`pass the preflight for ${method} ${url}`, async () => {
      const response = await preflightOf(url, method);
      expect(response.statusCode).to.equal(204);
      expect(response.payload).to.equal('');
      expect(corsHeaders(response.headers)).to.deep.equal({
        vary: 'Origin',
        'access-control-allow-origin': page,
        'access-control-expose-headers': 'link, x-request-id, retry-after',
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'authorization, x-api-key, content-type, idempotency-key',
        'access-control-max-age': '600',
      });
    });
  }

  it('may read responses, errors and their headers', async () => {
    for (const key of [suite.service.key, null]) {
      const response = await suite.service.call('list', {key, headers: {origin: page}});
      expect(response.statusCode).to.equal(key === null ? 401 : 200);
      expect(corsHeaders(response.headers)).to.deep.equal({
        vary: 'Origin',
        'access-control-allow-origin': page,
        'access-control-expose-headers': 'link, x-request-id, retry-after',
      });
    }
  });

  it('are distinguished from other origins, which get Vary but no permission', async () => {
    for (const origin of [stranger, 'null', `${page}.evil.example`, `${page}:8443`, '*']) {
      const response = await suite.service.call('list', {headers: {origin}});
      expect(corsHeaders(response.headers), origin).to.deep.equal({vary: 'Origin'});
      const asked = await preflightOf('/api/connectors', 'GET', origin);
      expect(asked.statusCode).to.equal(405);
      expect(corsHeaders(asked.headers), origin).to.deep.equal({vary: 'Origin'});
    }
    expect(corsHeaders((await suite.service.call('list')).headers)).to.deep.equal({vary: 'Origin'});
  });

  for (const url of ['/metrics', '/%6detrics', '/metrics?x=y', 'http://localhost/metrics']) {
    it(`cannot read the metrics from ${url}, even in a browser on an allowed address`, async () => {
      const headers = {host: 'localhost', origin: page};
      const response = await overSocket(suite.service, 'GET', url, headers);
      expect(response.status).to.equal(200);
      expect(response.body).to.match(/^# HELP /);
      expect(corsHeaders(response.headers)).to.deep.equal({});
      const asked = await overSocket(suite.service, 'OPTIONS', url, {
        ...headers,
        'access-control-request-method': 'GET',
      });
      expect(asked.status).to.equal(405);
      expect(corsHeaders(asked.headers)).to.deep.equal({});
    });
  }

  it('pass the preflight for a percent-encoded path', async () => {
    const response = await preflightOf('/%61pi/connectors', 'GET');
    expect(response.statusCode).to.equal(204);
    expect(response.headers['access-control-allow-methods']).to.equal('GET, HEAD');
  });

  it('get 405 for OPTIONS that is not a preflight, and 404 for an unknown path', async () => {
    const bare = {method: 'OPTIONS', url: '/api/connectors', headers: {origin: page}};
    expect((await suite.service.send(bare)).statusCode).to.equal(405);
    expect((await suite.service.send(preflight('/nowhere', 'GET'))).statusCode).to.equal(404);
  });
});

describe('pages of any origin with *', () => {
  const suite = eachWithService({corsOrigins: ['*']});

  it('may read responses, but never with browser credentials', async () => {
    const {headers} = await suite.service.call('list', {headers: {origin: stranger}});
    expect(corsHeaders(headers)).to.deep.equal({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'link, x-request-id, retry-after',
    });
  });
});

describe('a list of origins', () => {
  it('accepts origins as browsers send them', () => {
    expect(readOrigins(`${page}, http://localhost:5173`)).to.deep.equal([
      page,
      'http://localhost:5173',
    ]);
    expect(readOrigins('*')).to.deep.equal(['*']);
  });

  for (const list of [
    '',
    'console.example',
    `${page}/`,
    `${page}/path`,
    `${page}:443`,
    'https://Console.example',
    'https://*.example',
    'null',
    'file:///tmp',
    `${page},*`,
    `${page},`,
  ]) {
    it(`is refused: ${JSON.stringify(list)}`, () => {
      expect(() => readOrigins(list))
        .to.throw(AppError, /^".*" is not an origin of a web page\.$/)
        .with.property('kind', 'usage');
    });
  }
});
