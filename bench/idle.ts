// Sends heartbeats to a service that has many idle connections open, each on its own connection.
//   npm run bench:idle -- [--connections 50000]
// The limit of open files (ulimit -n) must allow as many, and a few hundred more.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {routes, serviceRoutes} from '../src/contract/index.js';
import {connectionsThatFit, readProcessLimits} from '../src/server/net/open-files.js';
import {Client} from './soak/client.js';
import {Ledger} from './soak/ledger.js';
import {LiveService} from './soak/service.js';
import {activate} from './soak/traffic.js';

const {values} = parseArgs({options: {connections: {type: 'string', default: '50000'}}});
const asked = Number(values.connections);
const connections = Math.min(asked, (connectionsThatFit(readProcessLimits()) ?? asked) - 50);

/** Connections of one process from one address: fewer than there are ports. */
const perHolder = 15_000;
const heartbeats = 300;
const holders: ChildProcess[] = [];

async function holdIdle(url: string): Promise<number> {
  const counts: Promise<number>[] = [];
  for (let left = connections; left > 0; left -= perHolder) {
    const holder = spawn(
      process.execPath,
      [
        ...['--import', 'tsx', fileURLToPath(new URL('idle/holder.ts', import.meta.url))],
        ...[url, String(Math.min(left, perHolder)), `127.0.0.${2 + holders.length}`],
      ],
      {stdio: ['pipe', 'pipe', 'inherit']},
    );
    holders.push(holder);
    const lines = createInterface({input: holder.stdout});
    counts.push(once(lines, 'line').then(([line]) => Number(line)));
  }
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function measure(service: LiveService): Promise<void> {
  const key = (await readFile(service.keyFile, 'utf8')).trim();
  const first = new Client(service.url, 1);
  const {signal} = new AbortController();
  const traffic = {client: first, ledger: new Ledger(), url: service.url, key, interval: 0, signal};
  const connector = await activate(traffic);
  if (connector === undefined) throw new Error('no connector could be activated');
  const figure = async (name: string) => {
    const {body} = await first.call(serviceRoutes.metrics.path);
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  };
  const memoryBefore = await figure('process_resident_memory_bytes');
  const held = await holdIdle(service.url);
  const milliseconds: number[] = [];
  for (let sent = 0; sent < heartbeats; sent += 1) {
    const client = new Client(service.url, 1);
    const startedAt = performance.now();
    const path = routes.heartbeat.path.replace('{id}', connector.id);
    const {status} = await client.call(path, {method: 'POST', key: connector.key});
    if (status !== 200) throw new Error(`a heartbeat has the status ${status}`);
    milliseconds.push(performance.now() - startedAt);
    client.close();
  }
  milliseconds.sort((left, right) => left - right);
  const part = (share: number) => milliseconds[Math.floor(share * (heartbeats - 1))]?.toFixed(1);
  const memory = await figure('process_resident_memory_bytes');
  console.log(`idle connections: ${held} held of ${asked} asked for`);
  console.log(`open by the service's own count: ${await figure('connectorctl_connections')}`);
  const perConnection = ((memory - memoryBefore) / held / 1024).toFixed(1);
  console.log(`its memory: ${Math.round(memory / 2 ** 20)} MiB, ${perConnection} KiB a connection`);
  console.log(`${heartbeats} heartbeats: median ${part(0.5)} ms, 99 % ${part(0.99)} ms`);
  first.close();
}

const directory = await mkdtemp(join(tmpdir(), 'connectorctl-idle-'));
const service = new LiveService(directory, 60);
try {
  await service.start();
  await measure(service);
} finally {
  for (const holder of holders) holder.kill();
  await service.end('SIGKILL');
  await rm(directory, {recursive: true});
}
