/**
 * `npm run bench:sizing`: what a fleet needs of the machine of `connectorctl serve` on a JSON file store. Prints the table
 * of docs/guides/production.md, up to 100,000 connectors in about a minute; with numbers as arguments those fleets, such
 * as `-- 1000 1000000` (four minutes, 1 GB of disk). The peer in the same run is a bare Node.js server that stores nothing.
 */
import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {routes} from '../src/contract/index.js';
import {heapFor, heapOptions, memoryBesideHeap} from '../test/support/heap.js';
import {machine, markdown, perSecond, times} from './figures.js';
import {
  connectorId,
  heartbeats,
  listRequest,
  makeFleet,
  openFleet,
  organizationKey,
} from './fleet.js';
import {load} from './load.js';
import {
  captureResponse,
  inDirectory,
  type ServerProcess,
  startBare,
  startServe,
  using,
} from './servers.js';

const mebibyte = 1024 * 1024;
const perDay = {probes: (24 * 60 * 60) / 15, heartbeats: 24 * 60};

/** A process that listens, and the most memory that it took. */
interface Measured {
  readonly startMilliseconds: number;
  readonly resident: number;
}

/** Starts `serve` with a heap, lists the fleet, and sends as many heartbeats as possible at the same time. */
async function underLoad(store: string, connectors: number, heap: number): Promise<Measured> {
  const options = heapOptions(heap).split(' ');
  return using([startServe(store, 'warn', options)], async ([server]) => {
    const [{perSecond: rate}] = await Promise.all([
      load({server, requests: heartbeats(connectors)}),
      load({server, connections: 1, requests: [listRequest]}),
    ]);
    process.stderr.write(`  heap ${heap} MiB: ${perSecond(rate)} heartbeats beside lists\n`);
    return {startMilliseconds: server.startMilliseconds, resident: (await server.memory()).peak};
  });
}

/** Seconds until each of 100 clients that list the fleet at the same time has its list; who gets 503 asks again. */
async function listsAtOnce(store: string, heap: number): Promise<number> {
  const options = heapOptions(heap).split(' ');
  return using([startServe(store, 'warn', options)], async ([server]) => {
    const startedAt = performance.now();
    const url = `http://127.0.0.1:${server.port}${routes.list.path}`;
    const headers = {authorization: `Bearer ${organizationKey}`};
    const read = async (): Promise<void> => {
      const response = await fetch(url, {headers});
      for await (const _ of response.body ?? []);
      if (response.status === 200) return;
      await setTimeout(1000 * Number(response.headers.get('retry-after')));
      await read();
    };
    await Promise.all(Array.from({length: 100}, read));
    return (performance.now() - startedAt) / 1000;
  });
}

/** The bytes of a directory's files. */
async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(directory)) {
    // A file of a compaction may be renamed or removed between the two calls.
    size += await stat(path.join(directory, name)).then(
      (stats) => stats.size,
      () => 0,
    );
  }
  return size;
}

/** The most bytes of the directory: at the end of a compaction that the heartbeats of a day cause. */
async function mostDisk(directory: string, connectors: number): Promise<number> {
  const store = await openFleet(directory);
  const isCompacting = async () => (await readdir(directory)).includes('store.jsonl.tmp');
  let most = 0;
  let sent = 0;
  const from = Date.now();
  while (!(await isCompacting())) {
    await Promise.all(
      Array.from({length: 5000}, () => {
        const at = from + Math.floor(sent / connectors) * 60_000;
        sent += 1;
        return store.recordHeartbeat(connectorId(sent % connectors), at, {organization: 'default'});
      }),
    );
    most = Math.max(most, await sizeOf(directory));
  }
  // Then without further heartbeats, of which no fleet sends so many in so short a time.
  while (await isCompacting()) {
    await setTimeout(5);
    most = Math.max(most, await sizeOf(directory));
  }
  await store.close();
  return most;
}

/** Bytes of the log for one request of each kind. */
async function logBytes(store: string): Promise<{probes: number; heartbeat: number}> {
  return using([startServe(store, 'debug')], async ([server]) => {
    const written = async (request: () => Promise<unknown>): Promise<number> => {
      const before = await settled(server);
      await request();
      return (await settled(server)) - before;
    };
    const {port} = server;
    const amount = 500;
    const bytes = await written(() =>
      load({server, connections: 1, amount, requests: heartbeats(1000)}),
    );
    const probes = await written(async () => {
      for (const name of ['healthz', 'readyz', 'metrics']) {
        await (await fetch(`http://127.0.0.1:${port}/${name}`)).text();
      }
    });
    return {probes, heartbeat: bytes / amount};
  });
}

/** The length of the log once it stops growing. */
async function settled(server: ServerProcess): Promise<number> {
  for (let last = -1; ; last = server.logBytes) {
    if (last === server.logBytes) return last;
    await setTimeout(300);
  }
}

/** The bare server, under the same load as `serve`. */
async function bareNode(store: string): Promise<Measured> {
  const response = await using([startServe(store)], ([serve]) =>
    captureResponse(serve.port, heartbeats(1000)[0]),
  );
  return using([startBare(response)], async ([server]) => {
    await load({server, requests: heartbeats(1000)});
    return {startMilliseconds: server.startMilliseconds, resident: (await server.memory()).peak};
  });
}

const megabytes = (bytes: number): string => {
  const value = bytes / 1_000_000;
  return value < 1000
    ? `${value.toFixed(value < 10 ? 1 : 0)} MB`
    : `${(value / 1000).toFixed(1)} GB`;
};

const fleets = process.argv.slice(2).map(Number);
if (fleets.some((fleet) => !(Number.isInteger(fleet) && fleet > 0))) {
  throw new Error('the arguments are numbers of connectors');
}
await inDirectory(async (parent) => {
  const store = path.join(parent, 'store');
  await makeFleet(store, 1000);
  const bare = await bareNode(store);
  const log = await logBytes(store);
  const rows: string[][] = [];
  for (const connectors of fleets.length > 0 ? fleets : [1000, 10_000, 100_000]) {
    process.stderr.write(`${connectors} connectors …\n`);
    await makeFleet(store, connectors);
    const heap = heapFor({connectors});
    const {startMilliseconds, resident} = await underLoad(store, connectors, heap);
    rows.push([
      connectors.toLocaleString('en'),
      `${heap} MiB`,
      `${heap + memoryBesideHeap} MiB`,
      `${Math.round(resident / mebibyte)} MiB, ${times(resident / bare.resident)}`,
      megabytes(await mostDisk(store, connectors)),
      `${(startMilliseconds / 1000).toFixed(1)} s, ${times(startMilliseconds / bare.startMilliseconds)}`,
      `${(await listsAtOnce(store, heap)).toFixed(0)} s`,
      megabytes(log.probes * perDay.probes),
      megabytes(log.probes * perDay.probes + log.heartbeat * perDay.heartbeats * connectors),
    ]);
  }
  const own = `${Math.round(bare.resident / mebibyte)} MiB, ${(bare.startMilliseconds / 1000).toFixed(2)} s`;
  console.log(`${machine()}; bare node: ${own}\n`);
  const head = [
    'connectors',
    'heap',
    'memory limit',
    'resident',
    'disk',
    'start',
    '100 lists at once',
    'log a day',
    'at debug',
  ];
  console.log(markdown([head, ...rows]));
});
