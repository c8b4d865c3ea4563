import path from 'node:path';
import {type Figure, percent, perSecond, times} from '../figures.js';
import {type Comparison, type Contender, compare, type Measure, using} from './compare.js';
import {heartbeats, makeFleet, reads} from './fleet.js';
import {
  captureResponse,
  jsonServerWrites,
  startBare,
  startJsonServer,
  startServe,
} from './servers.js';

function rateFigure(what: string, against: string, by: Comparison, target: number): Figure {
  return {
    what,
    measured: perSecond(by.one),
    against: `${against}: ${perSecond(by.other)}`,
    ratio: percent(by.ratio),
    target: `at least ${percent(target)}`,
    reached: by.ratio >= target,
  };
}

/** Compares `serve` with a bare server that answers the same bytes to the same requests. */
async function againstBare(
  directory: string,
  fleet: number,
  request: (connectors: number) => () => Buffer,
  options: Pick<Contender, 'reconnect'> = {},
): Promise<Comparison> {
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  return using([startServe(store)], async ([serve]) => {
    if (serve === undefined) throw new Error('serve did not start');
    const next = request(fleet);
    const response = await captureResponse(serve.port, next());
    return using([startBare(response)], ([bare]) => {
      if (bare === undefined) throw new Error('the bare server did not start');
      return compare({...options, server: serve, next}, {...options, server: bare, next});
    });
  });
}

const bare = 'bare node:http';

/** The rate of heartbeats against a bare server, at three sizes of the fleet. */
export const heartbeatRate: Measure = async (directory) => {
  const figures: Figure[] = [];
  for (const fleet of [1000, 10_000, 1_000_000]) {
    const by = await againstBare(directory, fleet, heartbeats);
    const what = `heartbeats, ${fleet.toLocaleString('en')} connectors`;
    figures.push(rateFigure(what, bare, by, 0.55));
  }
  return figures;
};

/** The rate of heartbeats of a large fleet against that of a small one, side by side. */
export const heartbeatGrowth: Measure = async (directory) => {
  const [small, large] = [1000, 1_000_000];
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
  const by = await againstBare(directory, 10_000, heartbeats, {reconnect: true});
  return [rateFigure('heartbeats, a new connection for each', `${bare}, likewise`, by, 0.6)];
};

export const readRate: Measure = async (directory) => {
  const by = await againstBare(directory, 10_000, reads);
  return [rateFigure('get by id', bare, by, 0.75)];
};
