import {expect} from 'chai';
import {AppError} from '../../src/errors.js';
import {readOrigins} from '../../src/server/cors.js';
import {eachWithService} from '../server/service.js';

const page = 'https://console.example';
const stranger = 'https://evil.example';

/** The headers of an answer that speak of other origins. */
const said = (headers: Record<string, unknown>) =>
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

describe('pages of an origin that was named', () => {
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
    it(`may ask before ${method} ${url}`, async () => {
      const answer = await preflightOf(url, method);
      expect(answer.statusCode).to.equal(204);
      expect(answer.payload).to.equal('');
      expect(said(answer.headers)).to.deep.equal({
        vary: 'Origin',
        'access-control-allow-origin': page,
        'access-control-expose-headers': 'link, x-request-id, retry-after',
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'authorization, x-api-key, content-type, idempotency-key',
        'access-control-max-age': '600',
      });
    });
  }

  it('may read answers, refusals too, and the headers that go with them', async () => {
    for (const key of [suite.service.key, null]) {
      const answer = await suite.service.call('list', {key, headers: {origin: page}});
      expect(answer.statusCode).to.equal(key === null ? 401 : 200);
      expect(said(answer.headers)).to.deep.equal({
        vary: 'Origin',
        'access-control-allow-origin': page,
        'access-control-expose-headers': 'link, x-request-id, retry-after',
      });
    }
  });

  it('are told apart from all others, to whom only caches learn that it depends', async () => {
    for (const origin of [stranger, 'null', `${page}.evil.example`, `${page}:8443`, '*']) {
      const answer = await suite.service.call('list', {headers: {origin}});
      expect(said(answer.headers), origin).to.deep.equal({vary: 'Origin'});
      const asked = await preflightOf('/api/connectors', 'GET', origin);
      expect(asked.statusCode).to.equal(405);
      expect(said(asked.headers), origin).to.deep.equal({vary: 'Origin'});
    }
    expect(said((await suite.service.call('list')).headers)).to.deep.equal({vary: 'Origin'});
  });

  it('cannot read the metrics, though their browser is where these are answered', async () => {
    for (const request of [
      {method: 'GET', url: '/metrics', headers: {origin: page}},
      preflight('/metrics', 'GET'),
    ]) {
      expect(said((await suite.service.send(request)).headers)).to.deep.equal({});
    }
  });

  it('are answered as ever where it is no preflight, or no path', async () => {
    const bare = {method: 'OPTIONS', url: '/api/connectors', headers: {origin: page}};
    expect((await suite.service.send(bare)).statusCode).to.equal(405);
    expect((await suite.service.send(preflight('/nowhere', 'GET'))).statusCode).to.equal(404);
  });
});

describe('pages of all origins, where * was named', () => {
  const suite = eachWithService({corsOrigins: ['*']});

  it('may read answers, and never with the credentials of a browser', async () => {
    const {headers} = await suite.service.call('list', {headers: {origin: stranger}});
    expect(said(headers)).to.deep.equal({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'link, x-request-id, retry-after',
    });
  });
});

describe('a list of origins', () => {
  it('is read as browsers write them', () => {
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
    it(`is refused when it is ${JSON.stringify(list)}`, () => {
      expect(() => readOrigins(list))
        .to.throw(AppError, /^--cors-origin .* is no origin\.$/)
        .with.property('kind', 'usage');
    });
  }
});
