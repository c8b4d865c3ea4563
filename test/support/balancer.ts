import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {closedPort} from './ports.js';

/** One address for several servers, used in turn. */
interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** Makes a balancer for the servers at these URLs. */
type MakeBalancer = (servers: readonly string[]) => Promise<Balancer>;

const nginx = '/usr/sbin/nginx';

/** The available balancers by name: our own, and nginx if it is installed. */
export const balancers: ReadonlyMap<string, MakeBalancer> = new Map([
  ['a TCP balancer', balanceConnections],
  ...(existsSync(nginx) ? ([['nginx', startNginx]] as const) : []),
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

async function startNginx(servers: readonly string[]): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'connectorctl-nginx-'));
  const port = await closedPort();
  const upstream = servers.map((url) => `server ${new URL(url).host};`).join(' ');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  await writeFile(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
     http {
       access_log off; ${temporary.join(' ')}
       upstream service { ${upstream} }
       server { listen 127.0.0.1:${port}; location / { proxy_pass http://service; } }
     }`,
  );
  const args = [
    '-p',
    directory,
    '-c',
    join(directory, 'nginx.conf'),
    '-e',
    join(directory, 'error.log'),
  ];
  const child = spawn(nginx, args, {stdio: 'ignore'});
  const ended = once(child, 'exit');
  await listening(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, {recursive: true, force: true});
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const socket = net.connect({host: '127.0.0.1', port});
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await delay(20);
    } finally {
      socket.destroy();
    }
  }
}
