/**
 * `npm run bench:store`: a fleet on the JSON file store, in the shape that Cloudera publishes of its Edge Flow Manager.
 * Ends within ten minutes, with one line. With the argument `heartbeats` it measures how many heartbeats a second there
 * are at most, by the size of the fleet; `BENCH_SECONDS` (default 3) is the length of one measurement, `BENCH_ROUNDS`
 * (default 5) how often those that alternate are repeated.
 */
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type {Request} from 'autocannon';
import {
  type Figure,
  machine,
  mebibytes,
  milliseconds,
  percent,
  perSecond,
  print,
} from './figures.js';
import {activation, heartbeat, heartbeats, listRequest, makeFleet} from './fleet.js';
import {compare, type Rate} from './load.js';
import {type Due, sendPaced} from './paced.js';
import {captureResponse, type ServerProcess, startBare, startServe, using} from './servers.js';

const fleet = {connectors: 100_000, interval: 60, activations: 120, listEvery: 30, duration: 60};

/** The response to the first one is what the bare server sends. */
const tokens = 1 + fleet.activations * fleet.duration;

/** The requests of the fleet, each connector's at its own random times. */
function fleetRequests(): Due[] {
  const {connectors, interval, activations, listEvery, duration} = fleet;
  const due: Due[] = [];
  for (let number = 0; number < connectors; number += 1) {
    const request = heartbeat(number);
    let at = Math.random() * interval;
    for (; at < duration; at += interval * (0.9 + Math.random() * 0.2)) {
      due.push({at, kind: 'heartbeat', request});
    }
  }
  for (let number = 1; number < tokens; number += 1) {
    due.push({at: number / activations, kind: 'activate', request: activation(number)});
  }
  for (let at = listEvery / 2; at < duration; at += listEvery) {
    due.push({at, kind: 'list', request: listRequest});
  }
  return due.sort((one, other) => one.at - other.at);
}

/** What became of the requests of the fleet at a server, and the CPU time of the server. */
async function underFleet(server: ServerProcess, due: readonly Due[]) {
  const before = await server.cpuTime();
  const outcomes = await sendPaced(server, due);
  const share = (kind: Due['kind']) => `${(outcomes[kind].share * 100).toFixed(2)} %`;
  return {
    answered: `${share('heartbeat')} of the heartbeats, ${share('activate')} of the activations and ${share('list')} of the lists`,
    p99: milliseconds(outcomes.heartbeat.p99),
    busy: (await server.cpuTime()) - before,
    memory: mebibytes((await server.memory()).now),
  };
}

async function fleetLine(store: string): Promise<string> {
  await makeFleet(store, fleet.connectors, tokens);
  const due = fleetRequests();
  const load = os.loadavg().map((average) => average.toFixed(1));
  return using([startServe(store)], async ([serve]) => {
    const capture = (request: Request) => captureResponse(serve.port, request);
    const beat = await capture(heartbeat(0));
    const others = {activate: await capture(activation(0)), connectors: await capture(listRequest)};
    const own = await underFleet(serve, due);
    await serve.stop();
    return using([startBare(beat, others)], async ([bare]) => {
      const other = await underFleet(bare, due);
      const ratio = (own.busy / other.busy).toFixed(1);
      return `answered: ${own.answered}; 99th percentile of a heartbeat ${own.p99}, ${own.memory} resident. A bare node:http server that answers the same from memory: ${other.p99}; the service took ${ratio} times its CPU time. ${machine()}; load average before: ${load.join(', ')}.`;
    });
  });
}

/** A rate, and the CPU time of the server for each request, which other programs disturb less. */
const shown = ({perSecond: rate, microseconds}: Rate): string =>
  `${perSecond(rate)}, ${microseconds.toFixed(1)} µs`;

/** Compares `serve` with a bare server that sends the same bytes for the same requests. */
async function mostHeartbeats(store: string, connectors: number): Promise<Figure> {
  await makeFleet(store, connectors);
  const requests = heartbeats(connectors);
  return using([startServe(store)], async ([serve]) => {
    const response = await captureResponse(serve.port, requests[0]);
    return using([startBare(response)], async ([bare]) => {
      const by = await compare({requests, server: serve}, {requests, server: bare});
      return {
        what: `heartbeats, ${connectors.toLocaleString('en')} connectors`,
        measured: shown(by.one),
        against: `bare node:http: ${shown(by.other)}`,
        ratio: percent(by.ratio),
      };
    });
  });
}

const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-'));
try {
  const store = path.join(directory, 'store');
  if (process.argv.includes('heartbeats')) {
    const figures: Figure[] = [];
    for (const size of [1000, 10_000, 1_000_000]) figures.push(await mostHeartbeats(store, size));
    print(figures);
  } else {
    console.log(await fleetLine(store));
  }
} finally {
  await rm(directory, {recursive: true, force: true});
}
