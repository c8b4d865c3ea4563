import {createServer, type Server} from 'node:http';
import {connect, type Socket} from 'node:net';
import {expect} from 'chai';
import {closeForeignServices, foreignService, json} from '../support/foreign-service.js';
import {failure, impatientClient} from './support.js';

describe('a proxy named by the environment', () => {
  const sockets = new Set<Socket>();
  let proxy: Server;
  let proxyAddress: string;
  let tunnels: {target: string; authorization: string | undefined}[];
  /** Where every tunnel leads, whatever it was asked for; a status refuses it. */
  let destination: number;
  let refusal: number | undefined;

  beforeEach(async () => {
    tunnels = [];
    refusal = undefined;
    proxy = createServer();
    proxy.on('connect', (request, socket) => {
      tunnels.push({
        target: request.url ?? '',
        authorization: request.headers['proxy-authorization'],
      });
      if (refusal !== undefined) {
        socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      const onward = connect(destination, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket as Socket]) {
        sockets.add(one);
        one.on('error', () => {});
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    proxyAddress = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  afterEach(async () => {
    for (const name of ['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY'])
      delete process.env[name];
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await closeForeignServices();
  });

  async function service() {
    const one = await foreignService(json({id: 'a'}));
    destination = Number(new URL(one.url).port);
    return one;
  }

  it('is used, and sees nothing but the host', async () => {
    const {seen} = await service();
    process.env['HTTP_PROXY'] = `http://user:hunter2@${proxyAddress}`;
    const lines: string[] = [];
    const {client} = impatientClient('http://connectors.example/prefix', {
      apiKey: 'sesame',
      trace: (line) => lines.push(line),
    });
    expect((await client.getConnector('a')).id).to.equal('a');
    await client.sendHeartbeat('a');
    const authorization = `Basic ${Buffer.from('user:hunter2').toString('base64')}`;
    expect(tunnels).to.deep.equal([{target: 'connectors.example:80', authorization}]);
    expect(seen[0]).to.include({path: '/prefix/api/connectors/a'});
    expect(seen[0]?.headers).to.include({
      host: 'connectors.example',
      authorization: 'Bearer sesame',
    });
    expect(lines.join('\n')).to.include(`through the proxy http://${proxyAddress}`);
    expect(lines.join('\n')).not.to.match(/hunter2|sesame/);
  });

  it('is not used for this machine, nor for what NO_PROXY names', async () => {
    const {url} = await service();
    process.env['ALL_PROXY'] = `http://${proxyAddress}`;
    process.env['NO_PROXY'] = '.invalid';
    await impatientClient(url).client.getConnector('a');
    await failure(() => impatientClient('http://connectors.invalid').client.getConnector('a'));
    expect(tunnels).to.deep.equal([]);
  });

  it('that refuses is named, and nothing secret of it', async () => {
    refusal = 407;
    process.env['https_proxy'] = `http://user:hunter2@${proxyAddress}`;
    const {client} = impatientClient('https://connectors.example', {apiKey: 'sesame'});
    const error = await failure(() => client.getConnector('a'));
    expect(error.kind).to.equal('unavailable');
    expect(error.message).to.include('the proxy makes no connection to https://connectors.example');
    expect(error.hint).to.include(`http://${proxyAddress}`);
    expect(`${error.message}${error.hint}`).not.to.include('hunter2');
    expect(tunnels[0]?.target).to.equal('connectors.example:443');
  });

  it('that is not there is named', async () => {
    process.env['HTTP_PROXY'] = proxyAddress;
    proxy.close();
    const error = await failure(() =>
      impatientClient('http://connectors.example').client.getConnector('a'),
    );
    expect(error.kind).to.equal('unavailable');
    expect(error.hint).to.include(`names a proxy: http://${proxyAddress}`);
  });

  it('of another kind is refused', async () => {
    process.env['ALL_PROXY'] = 'socks5://user:hunter2@127.0.0.1:1080';
    const error = await failure(() =>
      impatientClient('http://connectors.example').client.getConnector('a'),
    );
    expect(error.kind).to.equal('usage');
    expect(`${error.message}${error.hint}`).not.to.include('hunter2');
  });
});
