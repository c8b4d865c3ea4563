import {expect} from 'chai';
import {eachWithService} from '../support/server/service.js';

describe('the headers of a response', () => {
  const suite = eachWithService();

  const everywhere = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };

  for (const [method, url] of [
    ['GET', '/healthz'],
    ['GET', '/openapi.json'],
    ['GET', '/api/connectors'],
    ['POST', '/api/connectors/activate'],
    ['GET', '/nowhere'],
    ['DELETE', '/api/connectors'],
  ] as const) {
    it(`prevent caching, framing and type sniffing for ${method} ${url}`, async () => {
      expect((await suite.service.send({method, url})).headers).to.include(everywhere);
    });
  }

  for (const method of ['GET', 'OPTIONS'] as const) {
    it(`allow no page of another origin to read the response to ${method}`, async () => {
      const response = await suite.service.send({
        method,
        url: '/api/connectors',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
          authorization: `Bearer ${suite.service.key}`,
        },
      });
      const allowing = Object.keys(response.headers).filter((name) => /^access-control/.test(name));
      expect(allowing).to.deep.equal([]);
    });
  }

  it('do not reveal the software of the service', async () => {
    const {headers} = await suite.service.call('list');
    expect(headers).not.to.have.any.keys('server', 'x-powered-by');
  });
});
