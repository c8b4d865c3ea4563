import {routes} from '../../src/contract/index.js';
import {encodeCursor} from '../../src/server/operations/cursor.js';
import {
  type Figure,
  median,
  milliseconds,
  percent,
  perSecond,
  quantile,
  times,
} from '../figures.js';
import {compare, connections, load, seconds, using} from '../store/compare.js';
import {connectorId, heartbeats, organizationKey, reads} from '../store/fleet.js';
import {run} from '../store/http-load.js';
import {startServe} from '../store/servers.js';
import type {Databases} from './databases.js';

/** One measurement, which returns its figures. */
export type Measure = (databases: Databases) => Promise<Figure[]>;

const small = 1000;
const large = 1_000_000;

/** The rate of heartbeats of a large fleet against that of a small one, side by side. */
export const growth: Measure = async (databases) => {
  const urls = [await databases.withFleet(large), await databases.withFleet(small)];
  const by = await using(
    urls.map((url) => startServe(url)),
    async ([one, other]) => {
      if (one === undefined || other === undefined) throw new Error('serve did not start');
      return compare(
        {server: one, next: heartbeats(large)},
        {server: other, next: heartbeats(small)},
      );
    },
  );
  const [updates] = await databases.cluster.query<{share: number}>(
    `SELECT n_tup_hot_upd::float8 / greatest(n_tup_upd, 1) AS share
     FROM pg_stat_user_tables WHERE relname = 'connectors'`,
    `fleet_${large}`,
  );
  return [
    {
      what: 'heartbeats, 1,000,000 connectors',
      measured: perSecond(by.one.perSecond),
      against: `1,000 connectors: ${perSecond(by.other.perSecond)}`,
      ratio: percent(by.ratio),
      target: 'at least 80 %',
      reached: by.ratio >= 0.8,
    },
    {
      what: 'heartbeats that stay within their page (HOT)',
      measured: percent(updates?.share ?? Number.NaN),
      against: 'all updates of 1,000,000 connectors',
      ratio: '',
      target: 'at least 95 %',
      reached: (updates?.share ?? 0) >= 0.95,
    },
  ];
};

/** Reads per second next to the heartbeats, on separate connections. */
const readRate = 200;
const readConnections = 8;

/** Duration of a get while heartbeats arrive at half the maximum rate. */
export const reading: Measure = async (databases) => {
  const url = await databases.withFleet(large);
  return using([startServe(url)], async ([server]) => {
    if (server === undefined) throw new Error('serve did not start');
    const beats = heartbeats(large);
    await load({server, next: beats});
    const {perSecond: most} = await load({server, next: beats});
    const length = Math.max(10, 3 * seconds);
    const common = {port: server.port, seconds: length};
    const [gets] = await Promise.all([
      run({...common, connections: readConnections, next: reads(large), rate: readRate}),
      run({...common, connections, next: beats, rate: most / 2}),
    ]);
    const slow = quantile(gets.samples, 0.99);
    return [
      {
        what: `p99 of get by id, while ${perSecond(most / 2)} heartbeats come`,
        measured: milliseconds(slow),
        against: `median: ${milliseconds(quantile(gets.samples, 0.5))}`,
        ratio: '',
        target: 'at most 20 ms',
        reached: slow <= 20,
      },
    ];
  });
};

/** A page of 1,000 connectors, at the beginning of the list and in its middle. */
export const paging: Measure = async (databases) => {
  const url = await databases.withFleet(large);
  return using([startServe(url)], async ([server]) => {
    if (server === undefined) throw new Error('serve did not start');
    const page = (query: string): Buffer =>
      Buffer.from(
        `GET ${routes.list.path}?limit=1000${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${organizationKey}\r\n\r\n`,
      );
    const middle = page(`&cursor=${encodeCursor(connectorId(large / 2))}`);
    const took = async (request: Buffer): Promise<number> => {
      const common = {port: server.port, connections: 1, seconds: seconds / 3};
      const {samples} = await run({...common, next: () => request});
      return quantile(samples, 0.5);
    };
    await took(page(''));
    const pairs: {first: number; middle: number}[] = [];
    for (let round = 0; round < 5; round += 1) {
      pairs.push({first: await took(page('')), middle: await took(middle)});
    }
    const ratio = median(pairs.map((pair) => pair.middle / pair.first));
    return [
      {
        what: 'a page of 1,000 in the middle of 1,000,000 connectors',
        measured: milliseconds(median(pairs.map((pair) => pair.middle))),
        against: `the first page: ${milliseconds(median(pairs.map((pair) => pair.first)))}`,
        ratio: times(ratio),
        target: 'at most 1.5 ×',
        reached: ratio <= 1.5,
      },
    ];
  });
};
