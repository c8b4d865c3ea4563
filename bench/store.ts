/**
 * `npm run bench:store`: a fleet on the JSON file store, in the shape that Cloudera publishes of its Edge Flow Manager.
 * Ends within ten minutes, with one line.
 */
import os from 'node:os';
import path from 'node:path';
import type {Request} from 'autocannon';
import {machine, mebibytes, milliseconds} from './figures.js';
import {activation, heartbeat, listRequest, makeFleet} from './fleet.js';
import {type Due, sendPaced} from './paced.js';
import {
  captureResponse,
  inDirectory,
  type ServerProcess,
  startBare,
  startServe,
  using,
} from './servers.js';

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
      if (own.busy / other.busy > 3.5) process.exitCode = 1;
      return `answered: ${own.answered}; 99th percentile of a heartbeat ${own.p99}, ${own.memory} resident. A bare node:http server that answers the same from memory: ${other.p99}; the service took ${ratio} times its CPU time (target: ≤ 3.5). ${machine()}; load average before: ${load.join(', ')}.`;
    });
  });
}

await inDirectory(async (directory) => console.log(await fleetLine(path.join(directory, 'store'))));
