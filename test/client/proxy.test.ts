import {once} from 'node:events';
import {type Agent, get} from 'node:http';
import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {ClientAgents} from '../../src/client/http/agents.js';
import {clientWithoutDelays, failure} from '../support/client.js';
import {certificate, privateKey} from '../support/network/certificates.js';
import {tcpService} from '../support/network/tcp-service.js';
import {type TunnelProxy, tunnelProxy} from '../support/network/tunnel-proxy.js';
import {json, thirdPartyService} from '../support/third-party.js';

describe('an HTTP proxy from the environment', () => {
  let proxy: TunnelProxy;

  beforeEach(async () => {
    proxy = await tunnelProxy();
  });

  afterEach(() => {
    for (const name of ['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY'])
      delete process.env[name];
  });

  async function service() {
    const one = await thirdPartyService(json({id: 'a'}));
    proxy.destination = Number(new URL(one.url).port);
    return one;
  }

  it('is used as a tunnel, and sees only the host and port of a request', async () => {
    const {seen} = await service();
    process.env['HTTP_PROXY'] = `http://user:hunter2@${proxy.address}`;
    const lines: string[] = [];
    const {client} = clientWithoutDelays('http://connectors.example/prefix', {
      apiKey: 'sesame',
      trace: (line) => lines.push(line),
    });
    expect((await client.getConnector('a')).id).to.equal('a');
    await client.sendHeartbeat('a');
    const authorization = `Basic ${Buffer.from('user:hunter2').toString('base64')}`;
    expect(proxy.tunnels).to.deep.equal([{target: 'connectors.example:80', authorization}]);
    expect(seen[0]).to.include({path: '/prefix/api/connectors/a'});
    expect(seen[0]?.headers).to.include({
      host: 'connectors.example',
      authorization: 'Bearer sesame',
    });
    expect(lines.join('\n')).to.include(`through the proxy http://${proxy.address}`);
    expect(lines.join('\n')).not.to.match(/hunter2|sesame/);
  });

  it('is named without its password in the error when it refuses to connect', async () => {
    proxy.refusal = 407;
    process.env['https_proxy'] = `http://user:hunter2@${proxy.address}`;
    const {client} = clientWithoutDelays('https://connectors.example', {apiKey: 'sesame'});
    const error = await failure(() => client.getConnector('a'));
    expect(error).to.include({kind: 'unavailable', reason: 'proxy-authentication-required'});
    expect(error.message).to.match(/wants the right user name and password \(CONNECT 407\)$/);
    expect(error.message).to.include(`http://${proxy.address}`);
    expect(hintFor(error)).to.match(/^Write them into https_proxy: .*PORT$/);
    expect(`${error.message}${hintFor(error)}`).not.to.include('hunter2');
    expect(proxy.tunnels.map(({target}) => target)).to.deep.equal(['connectors.example:443']);
  });

  it('is asked again when it cannot connect now, also to create a token, since nothing was sent', async () => {
    proxy.refusal = 503;
    process.env['HTTP_PROXY'] = proxy.address;
    const error = await failure(() =>
      clientWithoutDelays('http://connectors.example').client.createToken(),
    );
    expect(error).to.include({kind: 'unavailable', reason: 'proxy-failed', outcomeUnknown: false});
    expect(error.message).to.include(
      'cannot connect to http://connectors.example now (CONNECT 503)',
    );
    expect(proxy.tunnels).to.have.length(3);
  });

  it('is asked for an IPv6 address in brackets', async () => {
    await service();
    process.env['HTTP_PROXY'] = proxy.address;
    await clientWithoutDelays('http://[fd00::1]:8080').client.getConnector('a');
    expect(proxy.tunnels[0]?.target).to.equal('[fd00::1]:8080');
  });

  it('is used only for the address that it is for, also after a redirect', async () => {
    const {url, seen} = await thirdPartyService(json({id: 'a'}));
    const redirecting = await thirdPartyService((_, response) => {
      response.writeHead(302, {location: `${url}/elsewhere`}).end();
    });
    proxy.destination = Number(new URL(redirecting.url).port);
    process.env['HTTP_PROXY'] = proxy.address;
    await clientWithoutDelays('http://connectors.example').client.getConnector('a');
    expect(proxy.tunnels.map(({target}) => target)).to.deep.equal(['connectors.example:80']);
    expect(seen.map(({path}) => path)).to.deep.equal(['/elsewhere']);
  });

  it('is not blamed for the certificate of the service behind it', async () => {
    const tls = {key: privateKey, cert: certificate};
    const {url} = await thirdPartyService(json({id: 'a'}), tls);
    proxy.destination = Number(new URL(url).port);
    process.env['https_proxy'] = proxy.address;
    const error = await failure(() =>
      clientWithoutDelays('https://connectors.example').client.getConnector('a'),
    );
    expect(error.message).to.include(
      'the certificate of https://connectors.example is self-signed',
    );
  });

  it('is named when its own certificate is not trusted', async () => {
    const tls = {key: privateKey, cert: certificate};
    const {url} = await thirdPartyService(json({}), tls);
    process.env['HTTP_PROXY'] = url;
    const error = await failure(() =>
      clientWithoutDelays('http://connectors.example').client.getConnector('a'),
    );
    expect(error.message).to.include(`the certificate of the proxy ${url} is self-signed`);
  });

  it('is named when it opens no tunnel within the time limit', async () => {
    const {url: address} = await tcpService();
    process.env['HTTP_PROXY'] = address;
    const {client} = clientWithoutDelays('http://connectors.example', {retries: 0, timeout: 50});
    const error = await failure(() => client.getConnector('a'));
    expect(error.message).to.include(`no connection to the proxy ${address} within 0.05 s`);
    // Of a request without a time limit, too.
    const url = new URL('http://connectors.example');
    const {http: agent} = new ClientAgents(true, 50).for(url) as {http: Agent};
    const [late] = await once(get(url, {agent}), 'error');
    expect(late).to.include({code: 'ETIMEDOUT'});
    expect(late.message).to.equal(`the proxy ${address} opens no tunnel to connectors.example:80`);
  });

  it('is named in the error when it cannot be reached', async () => {
    process.env['HTTP_PROXY'] = proxy.address;
    proxy.stopListening();
    const error = await failure(() =>
      clientWithoutDelays('http://connectors.example').client.getConnector('a'),
    );
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include(`nothing listens at the proxy http://${proxy.address} (ECONN`);
    expect(hintFor(error)).to.include('Correct HTTP_PROXY');
    expect(hintFor(error)).not.to.include('names a proxy');
  });

  for (const [env, why] of [
    [{HTTP_PROXY: 'proxy'}, 'No proxy was used: HTTP_PROXY is not for https://.'],
    [
      {https_proxy: 'proxy', NO_PROXY: '.invalid'},
      'No proxy was used: NO_PROXY excludes a.invalid.',
    ],
    [{ALL_PROXY: 'proxy', NO_PROXY: '*'}, 'No proxy was used: NO_PROXY excludes a.invalid.'],
    [{NO_PROXY: '*'}, undefined],
  ] as const) {
    it(`is not used with ${JSON.stringify(env)}, and the error says ${why ?? 'nothing of it'}`, async () => {
      Object.assign(process.env, env);
      const {client} = clientWithoutDelays('https://a.invalid', {retries: 0});
      const error = await failure(() => client.getConnector('a'));
      expect(error.reason).to.match(/^host-un/);
      expect(hintFor(error)?.match(/No proxy.*/)?.[0]).to.equal(why);
    });
  }
});
