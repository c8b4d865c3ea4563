import {setTimeout as delay} from 'node:timers/promises';
import {PostgresCluster} from './cluster.js';

const standbyName = 'standby';

/** Starts a primary and a synchronous standby, which receives every commit before it is acknowledged. */
export async function startPair(): Promise<[primary: PostgresCluster, standby: PostgresCluster]> {
  const primary = await PostgresCluster.make({});
  await primary.start();
  await primary.query('CREATE DATABASE connectors');
  await primary.stop();
  const standby = await primary.makeStandby(standbyName);
  primary.configure({synchronous_standby_names: `'${standbyName}'`});
  await Promise.all([primary.start(), standby.start()]);
  for (;;) {
    const followers = await primary.query('SELECT sync_state FROM pg_stat_replication');
    if (followers[0]?.['sync_state'] === 'sync') return [primary, standby];
    await delay(20);
  }
}
