import {expect} from 'chai';
import {createClient} from '../../src/client/create-client.js';
import {runCli} from '../support/command/run-cli.js';
import {
  hasSlowAddresses,
  resolveSlowHost,
  type SlowAddress,
  slowAddress,
  slowHost,
} from '../support/network/slow-address.js';
import {type TunnelProxy, tunnelProxy} from '../support/network/tunnel-proxy.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';

/** Where it drops a SYN in each of three rounds, only a wait of more than a second reaches it. */
describe('a host with a slow address', () => {
  let slow: SlowAddress | undefined;
  let proxy: TunnelProxy;

  before(function () {
    if (!hasSlowAddresses()) this.skip();
  });

  beforeEach(async () => {
    const {url} = await thirdPartyService(json([{id: 'a', name: 'web', status: 'online'}]));
    proxy = await tunnelProxy();
    proxy.destination = Number(new URL(url).port);
  });

  afterEach(() => {
    delete process.env['HTTP_PROXY'];
  });

  /** Starts a slow address beside one where nothing listens. @returns host and port */
  async function start(port: number): Promise<string> {
    slow = await slowAddress(port);
    resolveSlowHost(['127.0.0.2', '127.0.0.3'], (count) => {
      if (count === 3) void slow?.accept();
    });
    return `${slowHost}:${port}`;
  }

  it('is reached by the library without a retry', async () => {
    const client = createClient({baseUrl: `http://${await start(proxy.destination)}`, retries: 0});
    expect(await client.listConnectors().all()).to.have.length(1);
  });

  const at = temporaryDirectory();
  for (const command of ['list --json', 'monitor --once --state STATE']) {
    it(`is reached by connector ${command} without a retry`, async () => {
      const url = `http://${await start(proxy.destination)}`;
      const words = `connector ${command} --retries 0 --base-url ${url}`.split(' ');
      const {code, stderr} = await runCli(
        words.map((word) => (word === 'STATE' ? at('state') : word)),
      );
      expect(code, stderr).to.equal(0);
    });
  }

  it('is reached when it is that of a proxy', async () => {
    const port = Number(proxy.address.split(':')[1]);
    process.env['HTTP_PROXY'] = `http://${await start(port)}`;
    const client = createClient({baseUrl: 'http://connectors.example', retries: 0});
    expect(await client.listConnectors().all()).to.have.length(1);
    expect(proxy.tunnels).to.have.length(1);
  });

  for (const [which, addresses] of [
    ['the last address responds', ['127.0.0.2', '127.0.0.1']],
    ['the slow address is the last one', ['127.0.0.3', '127.0.0.2']],
  ] as const) {
    it(`is reached in the first round when ${which}`, async () => {
      slow = await slowAddress(proxy.destination);
      let rounds = 0;
      resolveSlowHost(addresses, (count) => {
        rounds = count;
        if (addresses[1] === '127.0.0.2') void slow?.accept();
      });
      const baseUrl = `http://${slowHost}:${proxy.destination}`;
      const client = createClient({baseUrl, retries: 0});
      expect(await client.listConnectors().all()).to.have.length(1);
      expect(rounds).to.equal(1);
    });
  }
});
