import path from 'node:path';
import {type Figure, percent, perSecond} from '../figures.js';
import {type Comparison, compare, type Measure, type Rate, using} from './compare.js';
import {heartbeats, makeFleet, reads} from './fleet.js';
import {captureResponse, startBare, startServe} from './servers.js';

/** A rate, and the CPU time of the server for each request, which other programs disturb less. */
const shown = ({perSecond: rate, microseconds}: Rate): string =>
  `${perSecond(rate)}, ${microseconds.toFixed(1)} µs`;

function rateFigure(what: string, against: string, by: Comparison): Figure {
  return {
    what,
    measured: shown(by.one),
    against: `${against}: ${shown(by.other)}`,
    ratio: percent(by.ratio),
    target: '',
    reached: true,
  };
}

/** Compares `serve` with a bare server that sends the same bytes for the same requests. */
async function againstBare(
  directory: string,
  fleet: number,
  next: () => Buffer,
): Promise<Comparison> {
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  return using([startServe(store)], async ([serve]) => {
    if (serve === undefined) throw new Error('serve did not start');
    const response = await captureResponse(serve.port, next());
    return using([startBare(response)], ([bare]) => {
      if (bare === undefined) throw new Error('the bare server did not start');
      return compare({next, server: serve}, {next, server: bare});
    });
  });
}

const bare = 'bare node:http';

/** The rate of heartbeats against a bare server, at three sizes of the fleet. */
export const heartbeatRate: Measure = async (directory) => {
  const figures: Figure[] = [];
  for (const fleet of [1000, 10_000, 1_000_000]) {
    const by = await againstBare(directory, fleet, heartbeats(fleet));
    figures.push(rateFigure(`heartbeats, ${fleet.toLocaleString('en')} connectors`, bare, by));
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
  return using(
    stores.map((store) => startServe(store)),
    async ([one, other]) => {
      if (one === undefined || other === undefined) throw new Error('serve did not start');
      const by = await compare(
        {server: other, next: heartbeats(large)},
        {server: one, next: heartbeats(small)},
      );
      return [rateFigure('heartbeats, 1,000,000 connectors', '1,000 connectors', by)];
    },
  );
};

export const readRate: Measure = async (directory) => {
  const by = await againstBare(directory, 10_000, reads(10_000));
  return [rateFigure('get by id', bare, by)];
};
