import {Agent, request as send} from 'node:http';
import {setTimeout as delay, setImmediate} from 'node:timers/promises';
import type {Request} from 'autocannon';
import type {ServerProcess} from './servers.js';

/** A request that is due at some second after the start. A list of them is sorted. */
export interface Due {
  readonly at: number;
  readonly kind: 'heartbeat' | 'activate' | 'list';
  readonly request: Request;
}

/**
 * Sends each request when it is due, however slow the responses are: what `autocannon` sends depends on them.
 *
 * @returns the share of each kind that succeeded, and the 99th percentile of the milliseconds from the time when a
 *   request was due to the end of its response
 */
export async function sendPaced({port}: ServerProcess, due: readonly Due[]) {
  // A request that finds none free waits, and its time counts.
  const agent = new Agent({keepAlive: true, maxSockets: 256});
  const wanted = {heartbeat: 0, activate: 0, list: 0};
  const latencies: Record<Due['kind'], number[]> = {heartbeat: [], activate: [], list: []};
  const startedAt = performance.now();
  // The last responses have ten seconds.
  const end = startedAt + (due.at(-1)?.at ?? 0) * 1000 + 10_000;
  let open = 0;
  for (const {at, kind, request} of due) {
    const dueAt = startedAt + at * 1000;
    wanted[kind] += 1;
    // Also when it is late, now and then: responses are read in between.
    if (wanted[kind] % 50 === 0) await setImmediate();
    while (performance.now() < dueAt) await delay(Math.max(1, dueAt - performance.now()));
    // On a machine that is too busy to send them in time, the rest counts as not answered.
    if (performance.now() > end) continue;
    open += 1;
    const {body, ...rest} = request;
    const call = send({port, host: '127.0.0.1', agent, ...rest}, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200 || response.statusCode === 201) {
          latencies[kind].push(performance.now() - dueAt);
        }
      });
    });
    call
      .on('error', () => {})
      .on('close', () => {
        open -= 1;
      });
    call.end(body);
  }
  while (open > 0 && performance.now() < end) await delay(50);
  agent.destroy();
  const outcome = (kind: Due['kind']) => {
    const sorted = latencies[kind].sort((one, other) => one - other);
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
    return {share: sorted.length / wanted[kind], p99};
  };
  return {heartbeat: outcome('heartbeat'), activate: outcome('activate'), list: outcome('list')};
}
