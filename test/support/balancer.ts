import {once} from 'node:events';
import net from 'node:net';
import {hasNginx, startNginx} from './nginx.js';
import {closedPort} from './ports.js';

/** One address for several servers, used in turn. */
interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Makes a balancer for the servers at these URLs. */
type MakeBalancer = (servers: readonly string[]) => Promise<Balancer>;

/** The available balancers by name: our own, and nginx if it is installed. */
export const balancers: ReadonlyMap<string, MakeBalancer> = new Map([
  ['a TCP balancer', balanceConnections],
  ...(hasNginx ? ([['nginx', balanceByNginx]] as const) : []),
]);

/** Passes each connection to the next server, or to the one after it if that does not listen. */
async function balanceConnections(servers: readonly string[]): Promise<Balancer> {
  const targets = servers.map((url) => Number(new URL(url).port));
  const sockets = new Set<net.Socket>();
  let turn = 0;
  const connect = (client: net.Socket, tries: number): void => {
    const server = net.connect({host: '127.0.0.1', port: targets[turn++ % targets.length]!});
    sockets.add(server);
    let isConnected = false;
    server.once('connect', () => {
      isConnected = true;
      client.pipe(server).pipe(client);
    });
    server.once('error', () => {
      if (!isConnected && tries > 0) connect(client, tries - 1);
      else client.destroy();
    });
    server.once('close', () => sockets.delete(server));
    client.once('close', () => server.destroy());
  };
  const listener = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('close', () => sockets.delete(client));
    connect(client, targets.length - 1);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

async function balanceByNginx(servers: readonly string[]): Promise<Balancer> {
  const port = await closedPort();
  const upstream = servers.map((url) => `server ${new URL(url).host};`).join(' ');
  const nginx = await startNginx(
    `upstream service { ${upstream} }
     server { listen 127.0.0.1:${port}; location / { proxy_pass http://service; } }`,
    port,
  );
  return {...nginx, url: `http://127.0.0.1:${port}`};
}
