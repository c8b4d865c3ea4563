/**
 * `npm run bench:store`: the figures of the JSON file store, each a ratio within this run. Needs about 2 GB of disk and
 * seven minutes on two quiet cores; arguments choose among `heartbeats`, `get` and `start`. `BENCH_SECONDS` (default 3)
 * is the length of one measurement, `BENCH_ROUNDS` (default 5) how often those that alternate are repeated.
 */
import {createReadStream} from 'node:fs';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {type Figure, mebibytes, percent, perSecond, report, times} from './figures.js';
import {heartbeats, makeFleet, reads} from './fleet.js';
import {compare, type Load, type Rate} from './load.js';
import {captureResponse, startBare, startServe, using} from './servers.js';

type Measure = (store: string) => Promise<readonly Figure[]>;

/** A rate, and the CPU time of the server for each request, which other programs disturb less. */
const shown = ({perSecond: rate, microseconds}: Rate): string =>
  `${perSecond(rate)}, ${microseconds.toFixed(1)} µs`;

/** Compares `serve` with a bare server that sends the same bytes for the same requests. */
async function againstBare(
  store: string,
  what: string,
  fleet: number,
  requests: Load['requests'],
): Promise<Figure> {
  await makeFleet(store, fleet);
  return using([startServe(store)], async ([serve]) => {
    const response = await captureResponse(serve.port, requests[0]);
    return using([startBare(response)], async ([bare]) => {
      const by = await compare({requests, server: serve}, {requests, server: bare});
      return {
        what: `${what}, ${fleet.toLocaleString('en')} connectors`,
        measured: shown(by.one),
        against: `bare node:http: ${shown(by.other)}`,
        ratio: percent(by.ratio),
      };
    });
  });
}

/** Milliseconds to read and parse the lines of a directory, without anything else. */
async function plainRead(directory: string): Promise<number> {
  const startedAt = performance.now();
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.jsonl')) continue;
    const input = createReadStream(path.join(directory, name));
    for await (const line of createInterface({input})) JSON.parse(line);
  }
  return performance.now() - startedAt;
}

/** Duration and memory of a start with a million connectors, and with as many used tokens. */
async function startOf(store: string, tokens: number): Promise<readonly Figure[]> {
  const million = 1_000_000;
  await makeFleet(store, million, tokens);
  const plain = await plainRead(store);
  const name = `1,000,000 connectors${tokens === 0 ? '' : ' and as many used tokens'}`;
  return using([startServe(store)], async ([server]) => {
    const {now} = await server.memory();
    return [
      {
        what: `start, ${name}`,
        measured: `${(server.startMilliseconds / 1000).toFixed(1)} s`,
        against: `plain read and JSON.parse: ${(plain / 1000).toFixed(1)} s`,
        ratio: times(server.startMilliseconds / plain),
        target: 'at most 2 ×',
        isMissed: server.startMilliseconds > 2 * plain,
      },
      {
        what: `resident memory for each of ${name}`,
        measured: `${Math.round(now / million)} bytes`,
        against: `${mebibytes(now)} in all`,
        target: 'at most 600 bytes',
        isMissed: now / million > 600,
      },
    ];
  });
}

const measures: Readonly<Record<string, Measure>> = {
  async heartbeats(store) {
    const figures: Figure[] = [];
    for (const fleet of [1000, 10_000, 1_000_000])
      figures.push(await againstBare(store, 'heartbeats', fleet, heartbeats(fleet)));
    return figures;
  },
  get: async (store) => [await againstBare(store, 'get by id', 10_000, reads(10_000))],
  start: async (store) => [...(await startOf(store, 0)), ...(await startOf(store, 1_000_000))],
};

const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
try {
  await report(measures, (measure) => measure(path.join(directory, 'store')));
} finally {
  await rm(directory, {recursive: true, force: true});
}
