import {createHash} from 'node:crypto';
import {expect} from 'chai';
import {eachWithService} from '../../support/server/service.js';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the page at /', () => {
  const suite = eachWithService();
  const get = (accept: string | undefined, method: 'GET' | 'HEAD' | 'POST' = 'GET', url = '/') =>
    // Not `send`, which compares with the API description: the page is not part of it.
    suite.service.app.inject({method, url, headers: accept === undefined ? {} : {accept}});

  it('tells a browser what the service is, and links to the API description', async () => {
    const {statusCode, headers, payload} = await get(browser);
    expect(statusCode).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(payload).to.include('Connectors service');
    const links = [...payload.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).to.include('./openapi.json');
    for (const link of links) {
      const {pathname} = new URL(link, 'http://service/');
      expect((await get(undefined, 'GET', pathname)).statusCode, link).to.equal(200);
    }
    expect((await get(browser, 'HEAD')).statusCode).to.equal(200);
  });

  it('runs no script, and its policy allows nothing but its own style', async () => {
    const {headers, payload} = await get(browser);
    expect(payload).not.to.match(/<script|\son\w+=|javascript:|\sstyle=/i);
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(payload) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers).to.include({'cache-control': 'no-store', 'x-content-type-options': 'nosniff'});
  });

  for (const [title, accept, method, url] of [
    ['names no media type', undefined, 'GET', '/'],
    ['accepts anything', '*/*', 'GET', '/'],
    ['prefers JSON', 'application/json, text/html;q=0.5', 'GET', '/'],
    ['refuses HTML', 'text/html;q=0, */*', 'GET', '/'],
    ['sends another method', browser, 'POST', '/'],
    ['asks for another path', browser, 'GET', '/index.html'],
  ] as const) {
    it(`is a problem document for a client that ${title}`, async () => {
      const response = await get(accept, method, url);
      expect(response.statusCode).to.equal(404);
      expect(response.json()).to.include({code: 'route_unknown'});
    });
  }
});
