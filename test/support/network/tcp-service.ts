import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';

const servers = new Set<Server>();
const sockets = new Set<Socket>();

/** Starts a server on a free port that passes each connection to `onSocket`. */
export async function tcpService(onSocket: (socket: Socket) => void = () => undefined) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {port, url: `http://127.0.0.1:${port}`, connections: () => connections};
}

/** Starts a server that responds to the first bytes of a connection with `bytes`, and returns its URL. */
export async function rawService(bytes: string | Buffer): Promise<string> {
  const {url} = await tcpService((socket) => socket.once('data', () => socket.end(bytes)));
  return url;
}

/** Stops all servers that a test has started. */
export async function closeTcpServices(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  sockets.clear();
  servers.clear();
}
