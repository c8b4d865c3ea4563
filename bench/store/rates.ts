import path from 'node:path';
import {type Figure, percent, perSecond, times} from '../figures.js';
import {type Comparison, compare, type Measure, type Rate, using} from './compare.js';
import {heartbeats, makeFleet, reads, writeRequests} from './fleet.js';
import {
  captureResponse,
  jsonServerWrites,
  startBare,
  startContender,
  startJsonServer,
  startServe,
} from './servers.js';
import {hasWrk} from './wrk.js';

/** A rate, and the processor time of the server for each request, which other programs disturb less. */
const shown = ({perSecond: rate, microseconds}: Rate): string =>
  `${perSecond(rate)}, ${microseconds.toFixed(1)} µs`;

function rateFigure(what: string, against: string, by: Comparison, target: number): Figure {
  return {
    what,
    measured: shown(by.one),
    against: `${against}: ${shown(by.other)}`,
    ratio: percent(by.ratio),
    target: `at least ${percent(target)}`,
    reached: by.ratio >= target,
  };
}

/** How `serve` is compared with a bare server. */
interface AgainstBare {
  readonly operation: 'get' | 'heartbeat';
  /** Default: the load of this benchmark, which keeps its connections. */
  readonly client?: 'reconnecting' | 'wrk';
}

/** Compares `serve` with a bare server that sends the same bytes for the same requests. */
async function againstBare(
  directory: string,
  fleet: number,
  {operation, client}: AgainstBare,
): Promise<Comparison> {
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  return using([startServe(store)], async ([serve]) => {
    if (serve === undefined) throw new Error('serve did not start');
    const next = operation === 'get' ? reads(fleet) : heartbeats(fleet);
    const response = await captureResponse(serve.port, next());
    const wrkFile = path.join(directory, 'requests');
    if (client === 'wrk') await writeRequests(wrkFile, operation, fleet);
    const what = client === 'wrk' ? {wrkFile} : {next, reconnect: client === 'reconnecting'};
    return using([startBare(response)], ([bare]) => {
      if (bare === undefined) throw new Error('the bare server did not start');
      return compare({...what, server: serve}, {...what, server: bare});
    });
  });
}

const bare = 'bare node:http';

/** The rate of heartbeats against a bare server, at three sizes of the fleet. */
export const heartbeatRate: Measure = async (directory) => {
  const figures: Figure[] = [];
  for (const [fleet, target] of [
    [1000, 0.57],
    [10_000, 0.55],
    [1_000_000, 0.5],
  ] as const) {
    const by = await againstBare(directory, fleet, {operation: 'heartbeat'});
    const what = `heartbeats, ${fleet.toLocaleString('en')} connectors`;
    figures.push(rateFigure(what, bare, by, target));
  }
  return figures;
};

/** The rate of heartbeats of a large fleet against that of a small one, side by side. */
export const heartbeatGrowth: Measure = async (directory) => {
  const small = 1000;
  const large = 1_000_000;
  const stores = [small, large].map((fleet) => path.join(directory, `store-${fleet}`));
  await makeFleet(stores[0] ?? '', small);
  await makeFleet(stores[1] ?? '', large);
  return using(stores.map(startServe), async ([one, other]) => {
    if (one === undefined || other === undefined) throw new Error('serve did not start');
    const by = await compare(
      {server: other, next: heartbeats(large)},
      {server: one, next: heartbeats(small)},
    );
    return [rateFigure('heartbeats, 1,000,000 connectors', '1,000 connectors', by, 0.9)];
  });
};

/** Heartbeats against the writes of json-server, which rewrites its file for each. */
export const jsonServer: Measure = async (directory) => {
  const fleet = 10_000;
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  return using([startServe(store), startJsonServer(directory, fleet)], async ([serve, peer]) => {
    if (serve === undefined || peer === undefined) throw new Error('a server did not start');
    const by = await compare(
      {server: serve, next: heartbeats(fleet)},
      {server: peer, next: jsonServerWrites(fleet)},
    );
    const figure = rateFigure('heartbeats, 10,000 connectors', 'json-server 1.x, writes', by, 250);
    return [{...figure, ratio: times(by.ratio), target: 'at least 250 ×'}];
  });
};

export const reconnecting: Measure = async (directory) => {
  const by = await againstBare(directory, 10_000, {
    operation: 'heartbeat',
    client: 'reconnecting',
  });
  return [rateFigure('heartbeats, a new connection for each', `${bare}, likewise`, by, 0.6)];
};

export const readRate: Measure = async (directory) => {
  const by = await againstBare(directory, 10_000, {operation: 'get'});
  return [rateFigure('get by id', bare, by, 0.6)];
};

/** The same two with `wrk`, which takes less processor time and leaves a core to the server. */
export const wrkRates: Measure = async (directory) => {
  if (!hasWrk()) {
    process.stderr.write(
      'wrk is not installed, so its figures are left out (apt-get install wrk)\n',
    );
    return [];
  }
  const figures: Figure[] = [];
  for (const [operation, fleet, target] of [
    ['heartbeat', 1000, 0.5],
    ['heartbeat', 20_000, 0.47],
    ['get', 1000, 0.5],
    ['get', 20_000, 0.47],
  ] as const) {
    const by = await againstBare(directory, fleet, {operation, client: 'wrk'});
    const name = operation === 'get' ? 'get by id' : 'heartbeats';
    const what = `${name}, ${fleet.toLocaleString('en')} connectors, wrk -t1 -c64`;
    figures.push(rateFigure(what, `${bare}, wrk`, by, target));
  }
  return figures;
};

/** Heartbeats against the same routes on Fastify and better-sqlite3. */
export const contender: Measure = async (directory) => {
  const fleet = 10_000;
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  return using([startServe(store), startContender(directory, fleet)], async ([serve, peer]) => {
    if (serve === undefined || peer === undefined) throw new Error('a server did not start');
    const next = heartbeats(fleet);
    const by = await compare({server: serve, next}, {server: peer, next});
    const figure = rateFigure('heartbeats, 10,000 connectors', 'Fastify, better-sqlite3', by, 3);
    return [{...figure, ratio: times(by.ratio), target: 'at least 3 ×'}];
  });
};
