import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {type AddressInfo, createServer, type Server} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {exclusionForms, urlForms, variableForms} from '../../support/network/proxy-forms.js';
import {describeWith} from '../installed.js';

type Environment = Readonly<Record<string, string>>;

/** Runs `curl -v` in an environment of only these variables. @returns what it reports about its connection */
async function curl(env: Environment, ...args: readonly string[]): Promise<string> {
  const child = spawn('curl', ['-q', '-sv', '-o', '/dev/null', ...args], {
    env: {PATH: process.env['PATH'] ?? '', ...env},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [report] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return report;
}

/** A server that answers every connection like a service, and counts them. */
class Spy {
  connections = 0;
  readonly #server: Server = createServer((socket) => {
    this.connections += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  });

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describeWith(['curl'], 'the variables for a proxy in curl', () => {
  const proxy = new Spy();
  const service = new Spy();

  before(() => Promise.all([proxy.listen(), service.listen()]));
  after(() => Promise.all([proxy.close(), service.close()]));
  beforeEach(() => {
    proxy.connections = 0;
    service.connections = 0;
  });

  for (const [list, url, isExcluded, because] of exclusionForms) {
    const forCurl = isExcluded === (because === undefined);
    const way = forCurl ? 'directly' : 'through the proxy';
    it(`lead ${way} to ${url} with NO_PROXY='${list}'${because ? `, other than here: ${because}` : ''}`, async () => {
      const env = {ALL_PROXY: `http://${proxy.address}`, NO_PROXY: list};
      await curl(env, '--connect-to', `::${service.address}`, url);
      expect([proxy.connections, service.connections]).to.deep.equal(forCurl ? [0, 1] : [1, 0]);
    });
  }

  for (const [value, outcome, forCurl = outcome, because] of urlForms) {
    const way = typeof forCurl === 'string' ? `name ${forCurl} with` : 'are refused with';
    it(`${way} the value ${value}${because ? `, other than here: ${because}` : ''}`, async () => {
      const port = proxy.address.split(':')[1] ?? '';
      const report = await curl({http_proxy: value.replace('PORT', port)}, 'http://a.example');
      const [, address] = /Trying (\S+?)\.\.\./.exec(report) ?? [];
      if (typeof forCurl !== 'string') {
        expect(address).to.equal(undefined);
        expect(report).to.match(/proxy syntax|proxy scheme|resolve proxy/i);
        return;
      }
      const [, login] = /^> Proxy-Authorization: Basic (\S+)/im.exec(report) ?? [];
      const prefix = login === undefined ? '' : `${Buffer.from(login, 'base64')}@`;
      expect(`${prefix}${address}`).to.equal(forCurl.replace('PORT', port));
    });
  }

  for (const [env, url, variable, forCurl = variable, because] of variableForms) {
    it(`are read in the order of precedence: ${forCurl} of ${JSON.stringify(env)} for ${url}${because ? `, other than here: ${because}` : ''}`, async () => {
      const addresses: Environment = {one: proxy.address, two: proxy.address};
      const values = Object.entries(env).map(([name, value]) => [name, addresses[value] ?? value]);
      const report = await curl(
        Object.fromEntries(values),
        '--connect-to',
        `::${service.address}`,
        url,
      );
      const [, used = 'none'] = /env variable ((?:https?|all)_proxy) ==/i.exec(report) ?? [];
      expect(proxy.connections, report).to.equal(
        forCurl === undefined || forCurl === 'none' ? 0 : 1,
      );
      if (proxy.connections > 0) expect(used).to.equal(forCurl);
    });
  }
});
