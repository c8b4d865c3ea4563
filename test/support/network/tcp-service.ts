import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** Starts a server on a free port that passes each connection to `onSocket`. It ends with the test that starts it. */
export async function tcpService(onSocket: (socket: Socket) => void = () => undefined) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  const close = atEndOfTest(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {port, url: `http://127.0.0.1:${port}`, connections: () => connections, close};
}

/** Starts a proxy that passes each new connection on to a port. */
export function tcpProxy(target: () => number) {
  return tcpService((client) => {
    const upstream = connect(target(), '127.0.0.1').on('error', () => undefined);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
}

/** Starts a server that responds to the first bytes of a connection with `bytes`, and returns its URL. */
export async function rawService(bytes: string | Buffer): Promise<string> {
  const {url} = await tcpService((socket) => socket.once('data', () => socket.end(bytes)));
  return url;
}
