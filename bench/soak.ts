// Runs a fleet against a real service for a while, ends and starts the service on the way, and then
// compares what the service acknowledged with what the store holds. Exits 1 when anything was lost.
//   npm run bench:soak -- [--seconds 180] [--connectors 10000] [--interval 10]
import {setMaxListeners} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import pLimit from 'p-limit';
import {routes, serviceRoutes} from '../src/contract/index.js';
import {Client} from './soak/client.js';
import {Ledger} from './soak/ledger.js';
import {type Ending, LiveService} from './soak/service.js';
import {
  activate,
  createToken,
  live,
  look,
  misbehave,
  repeat,
  type Traffic,
} from './soak/traffic.js';

const {values} = parseArgs({
  options: {
    seconds: {type: 'string', default: '180'},
    connectors: {type: 'string', default: '10000'},
    interval: {type: 'string', default: '10'},
  },
});
const seconds = Number(values.seconds);
const connectors = Number(values.connectors);
const interval = Number(values.interval);

/** Fractions of the time after which the service is stopped; the rest is undisturbed, to judge its memory. */
const endings: readonly {readonly at: number; readonly by: Ending}[] = [
  {at: 0.1, by: 'SIGTERM'},
  {at: 0.2, by: 'SIGKILL'},
  {at: 0.3, by: 'SIGKILL'},
  {at: 0.4, by: 'SIGTERM'},
  {at: 0.5, by: 'SIGKILL'},
];
/** Memory may grow by this factor over the undisturbed part: caches fill, and the fleet grows a little. */
const memoryGrowth = 1.25;
/** Tokens of either kind that are tried at the end. */
const triedTokens = 50;

const ledger = new Ledger();
const memory: number[] = [];

async function readMemory(client: Client): Promise<void> {
  const {body} = await client.call(serviceRoutes.metrics.path);
  const [, lag] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(body) ?? [];
  ledger.figures["longest of the service's lag (99 %, ms)"] = Math.max(
    ledger.figures["longest of the service's lag (99 %, ms)"] ?? 0,
    Math.round(Number(lag) * 1000),
  );
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(body) ?? [];
  if (bytes !== undefined) memory.push(Number(bytes));
}

async function endAndStart(service: LiveService, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  for (const {at, by} of endings) {
    const wait = at * seconds * 1000 - (performance.now() - startedAt);
    await delay(Math.max(0, wait), undefined, {signal}).catch(() => undefined);
    await service.end(by);
    await service.start();
    ledger.count(`ended by ${by}`);
  }
  memory.length = 0;
}

/** Redeems tokens at the end: a used one must be refused as used, an unused one must activate a connector. */
async function tryTokens({client}: Traffic): Promise<void> {
  const attempt = (token: string) => {
    ledger.tried.add(token.slice(-20));
    const json = {token, name: token.slice(-20)};
    return client.call(routes.activate.path, {method: 'POST', json});
  };
  for (const token of ledger.used.slice(-triedTokens)) {
    const {status} = await attempt(token);
    if (status !== 409) ledger.loss(`a used token has the status ${status}`);
  }
  for (const token of ledger.unused.slice(0, triedTokens)) {
    const {status} = await attempt(token);
    if (status !== 201) ledger.loss(`an unused token has the status ${status}`);
  }
}

function judgeMemory(): void {
  const third = Math.floor(memory.length / 3);
  const middle = (part: readonly number[]) =>
    [...part].sort((left, right) => left - right)[Math.floor(part.length / 2)] ?? 0;
  const before = middle(memory.slice(third, 2 * third));
  const after = middle(memory.slice(2 * third));
  ledger.figures['memory before (MiB)'] = Math.round(before / 2 ** 20);
  ledger.figures['memory after (MiB)'] = Math.round(after / 2 ** 20);
  if (after > before * memoryGrowth) ledger.loss(`memory grew from ${before} to ${after} bytes`);
}

function report(): void {
  const sorted = ledger.milliseconds.sort((left, right) => left - right);
  const part = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1);
  for (const [figure, count] of Object.entries(ledger.figures)) console.log(`${figure}: ${count}`);
  console.log(`heartbeat, median: ${part(0.5)} ms, 99 %: ${part(0.99)} ms, longest: ${part(1)} ms`);
  const losses = ledger.losses.length;
  console.log(losses === 0 ? 'nothing lost, nothing double' : `${losses} LOSSES`);
  for (const loss of ledger.losses.slice(0, 20)) console.log(`  ${loss}`);
}

async function run(service: LiveService): Promise<void> {
  await service.start();
  const key = (await readFile(service.keyFile, 'utf8')).trim();
  const client = new Client(service.url, 100);
  const stop = new AbortController();
  const {signal} = stop;
  // Each kind of traffic listens to it.
  setMaxListeners(50, signal);
  const traffic = {client, ledger, url: service.url, key, interval: interval * 1000, signal};
  const limit = pLimit(100);
  await Promise.all(Array.from({length: connectors}, () => limit(() => activate(traffic))));
  console.log(
    `${ledger.connectors.size} connectors are active; they send heartbeats for ${seconds} s`,
  );
  const work = [
    live(traffic, [...ledger.connectors.values()]),
    repeat(signal, 200, () => activate(traffic)),
    repeat(signal, 500, async () => {
      const token = await createToken(traffic);
      if (token !== undefined) ledger.unused.push(token);
    }),
    repeat(signal, 2000, () => look(traffic)),
    repeat(signal, 1000, () => readMemory(client).catch(() => undefined)),
    ...Array.from({length: 10}, () => repeat(signal, 100, () => misbehave(traffic))),
  ];
  const restarts = endAndStart(service, signal);
  await Promise.all([delay(seconds * 1000), restarts]);
  stop.abort();
  await Promise.all([...work, restarts]);
  judgeMemory();
  await service.end('SIGTERM');
  await service.start();
  await tryTokens(traffic);
  if (!(await look(traffic))) ledger.loss('the list could not be read at the end');
  client.close();
}

const directory = await mkdtemp(join(tmpdir(), 'connectorctl-soak-'));
const service = new LiveService(directory, interval);
try {
  await run(service);
} finally {
  await service.end('SIGKILL');
  await rm(directory, {recursive: true});
}
report();
process.exitCode = ledger.losses.length === 0 ? 0 : 1;
