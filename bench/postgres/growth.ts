import {type Figure, percent, perSecond} from '../figures.js';
import {heartbeats} from '../fleet.js';
import {compare} from '../load.js';
import {startServe, using} from '../servers.js';
import type {Databases} from './databases.js';

const small = 1000;
const large = 1_000_000;

/** The rate of heartbeats of a large fleet against that of a small one, side by side. */
export async function growth(databases: Databases): Promise<readonly Figure[]> {
  const urls = [await databases.withFleet(large), await databases.withFleet(small)] as const;
  const by = await using([startServe(urls[0]), startServe(urls[1])], ([one, other]) =>
    compare(
      {server: one, requests: heartbeats(large)},
      {server: other, requests: heartbeats(small)},
    ),
  );
  const [updates] = await databases.cluster.query<{share: number}>(
    `SELECT n_tup_hot_upd::float8 / greatest(n_tup_upd, 1) AS share
     FROM pg_stat_user_tables WHERE relname = 'connectors'`,
    `fleet_${large}`,
  );
  const share = updates?.share ?? Number.NaN;
  return [
    {
      what: 'heartbeats, 1,000,000 connectors',
      measured: perSecond(by.one.perSecond),
      against: `1,000 connectors: ${perSecond(by.other.perSecond)}`,
      ratio: percent(by.ratio),
      target: 'at least 80 %',
      isMissed: by.ratio < 0.8,
    },
    {
      what: 'heartbeats that stay within their page (HOT)',
      measured: percent(share),
      against: 'all updates of 1,000,000 connectors',
      target: 'at least 95 %',
      isMissed: share < 0.95,
    },
  ];
}
