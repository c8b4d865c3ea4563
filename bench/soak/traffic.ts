import {randomUUID} from 'node:crypto';
import {connect} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {routes} from '../../src/contract/index.js';
import type {Client} from './client.js';
import type {Acknowledged, Ledger, Listed} from './ledger.js';

/** What all traffic needs. */
export interface Traffic {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly url: string;
  readonly key: string;
  /** Of heartbeats, in milliseconds. */
  readonly interval: number;
  readonly signal: AbortSignal;
}

/** Milliseconds before a failed attempt is repeated. */
const pause = 200;

/** Repeats until the status is below 500: the service may be unavailable for a while. */
async function insist<T>({ledger, signal}: Traffic, attempt: () => Promise<T | undefined>) {
  while (!signal.aborted) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) return result;
    ledger.count('attempts without a response');
    await delay(pause);
  }
  return undefined;
}

/** Makes a token and activates a connector with it, also if the service fails meanwhile. */
export async function activate(traffic: Traffic): Promise<Acknowledged | undefined> {
  const {client, ledger} = traffic;
  const token = await createToken(traffic);
  if (token === undefined) return undefined;
  const name = randomUUID();
  const idempotencyKey = randomUUID();
  ledger.tried.add(name);
  const connector = await insist(traffic, async () => {
    const response = await client.call(routes.activate.path, {
      method: 'POST',
      json: {token, name},
      idempotencyKey,
    });
    if (response.status >= 500) return undefined;
    if (response.status !== 201)
      ledger.loss(`activation of ${name}: ${response.status} ${response.body}`);
    const {id, api_key: key} = JSON.parse(response.body);
    return {id, name, key, lastBeat: ''};
  });
  if (connector?.id === undefined) return undefined;
  ledger.connectors.set(connector.id, connector);
  ledger.used.push(token);
  ledger.count('activations');
  return connector;
}

/** Creates a token; undefined when the time is over. */
export function createToken(traffic: Traffic): Promise<string | undefined> {
  const {client, key, ledger} = traffic;
  return insist(traffic, async () => {
    const response = await client.call(routes.createToken.path, {method: 'POST', key});
    if (response.status >= 500) return undefined;
    if (response.status !== 201) ledger.loss(`create-token: ${response.status} ${response.body}`);
    ledger.count('tokens');
    return String(JSON.parse(response.body).token);
  });
}

/** Sends one heartbeat, once. */
async function beat({client, ledger}: Traffic, connector: Acknowledged): Promise<void> {
  const startedAt = performance.now();
  try {
    const path = routes.heartbeat.path.replace('{id}', connector.id);
    const {status, body} = await client.call(path, {method: 'POST', key: connector.key});
    if (status !== 200) {
      if (status < 500) ledger.loss(`heartbeat of ${connector.id}: ${status} ${body}`);
      ledger.count(`heartbeats with status ${status}`);
      return;
    }
    const {last_heartbeat_at: at} = JSON.parse(body);
    if (at > connector.lastBeat) connector.lastBeat = at;
    ledger.count('heartbeats');
    ledger.milliseconds.push(performance.now() - startedAt);
  } catch {
    ledger.count('heartbeats without a response');
  }
}

/** Milliseconds between two checks for due heartbeats: one timer for the fleet, not one per connector. */
const turn = 20;

/** Sends the heartbeats of connectors until the time is over, at intervals that vary by ten per cent. */
export async function live(traffic: Traffic, fleet: readonly Acknowledged[]): Promise<void> {
  const {interval, signal, ledger} = traffic;
  const spread = () => interval * (0.9 + Math.random() * 0.2);
  const due = fleet.map(() => performance.now() + Math.random() * interval);
  const inFlight = new Set<Acknowledged>();
  while (!signal.aborted) {
    const now = performance.now();
    for (const [index, connector] of fleet.entries()) {
      if ((due[index] ?? 0) > now) continue;
      due[index] = now + spread();
      if (inFlight.has(connector)) ledger.count('heartbeats skipped because one was in flight');
      else {
        inFlight.add(connector);
        void beat(traffic, connector).finally(() => inFlight.delete(connector));
      }
    }
    await rest(turn, signal);
  }
  while (inFlight.size > 0) await delay(turn);
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(Math.max(0, milliseconds), undefined, {signal}).catch(() => undefined);
}

/** Repeats work until the time is over. */
export async function repeat(signal: AbortSignal, every: number, work: () => Promise<unknown>) {
  while (!signal.aborted) {
    await work();
    await rest(every, signal);
  }
}

/** Reads the whole list and compares it with what was acknowledged. */
export async function look({client, key, ledger, interval}: Traffic): Promise<boolean> {
  const promised = ledger.promised();
  // Half an interval for the time that the response takes.
  const aliveSince = () => new Date(Date.now() - 1.5 * interval).toISOString();
  try {
    const {status, body} = await client.call(routes.list.path, {key});
    if (status !== 200) return false;
    const list: Listed[] = JSON.parse(body);
    ledger.compare(list, promised, aliveSince());
    ledger.count('complete lists read');
    return true;
  } catch {
    ledger.count('lists without a response');
    return false;
  }
}

const nuisances: readonly string[] = [
  'NONSENSE\r\n\r\n',
  'GET /api/connectors HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`,
  `POST ${routes.activate.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"token":"act_x"`,
  `POST ${routes.activate.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n{"token":"act_x","name":"x"}`,
  'GET /api/connectors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ck_guess\r\n\r\n',
  '',
];

/** A client that violates HTTP, and disconnects after a while. */
export async function misbehave({url, ledger, signal}: Traffic): Promise<void> {
  const {hostname, port} = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(nuisances[Math.floor(Math.random() * nuisances.length)] ?? '');
  ledger.count('bad clients');
  await rest(Math.random() * 3000, signal);
  socket.destroy();
}
