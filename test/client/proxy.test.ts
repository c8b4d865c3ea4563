import {expect} from 'chai';
import {hintFor} from '../../src/terminal/errors.js';
import {clientWithoutDelays, failure} from '../support/client.js';
import {type TunnelProxy, tunnelProxy} from '../support/network/tunnel-proxy.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party.js';

describe('an HTTP proxy from the environment', () => {
  let proxy: TunnelProxy;

  beforeEach(async () => {
    proxy = await tunnelProxy();
  });

  afterEach(async () => {
    for (const name of ['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY'])
      delete process.env[name];
    await proxy.close();
    await closeThirdPartyServices();
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

  it('is not used for the local machine or for hosts in NO_PROXY', async () => {
    const {url} = await service();
    process.env['ALL_PROXY'] = `http://${proxy.address}`;
    process.env['NO_PROXY'] = '.invalid';
    await clientWithoutDelays(url).client.getConnector('a');
    await failure(() => clientWithoutDelays('http://connectors.invalid').client.getConnector('a'));
    expect(proxy.tunnels).to.deep.equal([]);
  });

  it('is named without its password in the error when it refuses to connect', async () => {
    proxy.refusal = 407;
    process.env['https_proxy'] = `http://user:hunter2@${proxy.address}`;
    const {client} = clientWithoutDelays('https://connectors.example', {apiKey: 'sesame'});
    const error = await failure(() => client.getConnector('a'));
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include('the proxy refused to connect to https://connectors.example');
    expect(hintFor(error)).to.include(`http://${proxy.address}`);
    expect(`${error.message}${hintFor(error)}`).not.to.include('hunter2');
    expect(proxy.tunnels[0]?.target).to.equal('connectors.example:443');
  });

  it('is named in the error when it cannot be reached', async () => {
    process.env['HTTP_PROXY'] = proxy.address;
    proxy.stopListening();
    const error = await failure(() =>
      clientWithoutDelays('http://connectors.example').client.getConnector('a'),
    );
    expect(error.kind).to.equal('unavailable');
    expect(hintFor(error)).to.include(`names a proxy: http://${proxy.address}`);
  });

  it('is rejected when its URL is neither http nor https', async () => {
    process.env['ALL_PROXY'] = 'socks5://user:hunter2@127.0.0.1:1080';
    const error = await failure(() =>
      clientWithoutDelays('http://connectors.example').client.getConnector('a'),
    );
    expect(error.kind).to.equal('usage');
    expect(`${error.message}${hintFor(error)}`).not.to.include('hunter2');
    expect(hintFor(error)).to.include('Set ALL_PROXY to');
  });
});
