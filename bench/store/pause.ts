import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {type Figure, milliseconds, quantile, times} from '../figures.js';
import {connections, load, type Measure, seconds, using} from './compare.js';
import {connectorId, heartbeats, makeFleet, openFleet} from './fleet.js';
import {run, type Sample} from './http-load.js';
import {startServe} from './servers.js';

const fleet = 1_000_000;

/**
 * How far the journal is filled before the service starts: a compaction is due after some 400,000 more
 * (half of a snapshot, 33 bytes each), when the service is warm and has been seen without one.
 */
const heartbeatsBefore = 3_000_000;

/** Seconds of load after which the service is compiled and at full speed. */
const warmUp = 6;

/** Heartbeats that bring a store close to its next compaction, at the rate that one process can. */
async function fillJournal(directory: string): Promise<void> {
  const store = await openFleet(directory);
  let sent = 0;
  const beat = async (): Promise<void> => {
    while (sent < heartbeatsBefore) {
      sent += 1;
      const at = Date.now() - 3_600_000 + Math.floor(sent / fleet) * 60_000;
      await store.recordHeartbeat(connectorId(sent % fleet), at, {organization: 'default'});
    }
  };
  await Promise.all(Array.from({length: 512}, beat));
  await store.close();
}

/** Records when a compaction runs, by its unfinished snapshot. */
function watchCompaction(directory: string): {stop(): void; spans: {from: number; to: number}[]} {
  const spans: {from: number; to: number}[] = [];
  let since: number | undefined;
  const timer = setInterval(async () => {
    const compacting = (await readdir(directory)).some((name) => /^snapshot.*\.tmp$/.test(name));
    if (compacting) since ??= performance.now();
    else if (since !== undefined) {
      spans.push({from: since, to: performance.now()});
      since = undefined;
    }
  }, 10);
  return {stop: () => clearInterval(timer), spans};
}

/** The p99 of a heartbeat at half the maximum rate, while a compaction runs and while none does. */
export const pauseOfCompaction: Measure = async (directory) => {
  const store = path.join(directory, 'store');
  await makeFleet(store, fleet);
  const next = heartbeats(fleet);
  const most = await using([startServe(store)], async ([server]) => {
    if (server === undefined) throw new Error('serve did not start');
    await load({server, next});
    return (await load({server, next})).perSecond;
  });
  await makeFleet(store, fleet);
  await fillJournal(store);
  return using([startServe(store)], async ([server]) => {
    if (server === undefined) throw new Error('serve did not start');
    await load({server, next}, warmUp);
    const watch = watchCompaction(store);
    const samples: Sample[] = [];
    // Until a compaction has started and ended, and as long again.
    for (let count = 0; count < 40; count += 1) {
      const result = await run({port: server.port, connections, next, seconds, rate: most / 2});
      samples.push(...result.samples);
      if (watch.spans.length > 0 && count >= 3) break;
    }
    watch.stop();
    return [figure(samples, watch.spans)];
  });
};

function figure(samples: readonly Sample[], spans: readonly {from: number; to: number}[]): Figure {
  const during = samples.filter(({due}) => spans.some(({from, to}) => due >= from && due <= to));
  const without = samples.filter(({due}) => !spans.some(({from, to}) => due >= from && due <= to));
  const slow = quantile(during, 0.99);
  const usual = quantile(without, 0.99);
  const length = spans.reduce((sum, {from, to}) => sum + to - from, 0) / 1000;
  return {
    what: `p99 of a heartbeat at half the rate, during a compaction (${length.toFixed(1)} s, ${during.length} heartbeats)`,
    measured: milliseconds(slow),
    against: `without one: ${milliseconds(usual)}`,
    ratio: times(slow / usual),
    target: 'at most 3 ×',
    reached: slow / usual <= 3,
  };
}
