import {randomUUID} from 'node:crypto';
import {connect} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {routes} from '../../src/contract/index.js';
import type {Client} from './client.js';
import type {Ledger, Listed, Told} from './ledger.js';

/** Context of all traffic. */
export interface Traffic {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly url: string;
  readonly key: string;
  /** Of heartbeats, in milliseconds. */
  readonly interval: number;
  readonly signal: AbortSignal;
}

/** Milliseconds before a retry. */
const pause = 200;

/** Tries until there is a response other than 5xx: the service may be unavailable for a while. */
async function insist<T>({ledger, signal}: Traffic, attempt: () => Promise<T | undefined>) {
  while (!signal.aborted) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) return result;
    ledger.count('answers that never came');
    await delay(pause);
  }
  return undefined;
}

/** Creates a token and activates a connector with it, whatever happens to the service meanwhile. */
export async function activate(traffic: Traffic): Promise<Told | undefined> {
  const {client, ledger} = traffic;
  const token = await createToken(traffic);
  if (token === undefined) return undefined;
  const name = randomUUID();
  const idempotencyKey = randomUUID();
  ledger.tried.add(name);
  const told = await insist(traffic, async () => {
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
  if (told?.id === undefined) return undefined;
  ledger.connectors.set(told.id, told);
  ledger.used.push(token);
  ledger.count('activations');
  return told;
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
async function beat({client, ledger}: Traffic, told: Told): Promise<void> {
  const startedAt = performance.now();
  try {
    const path = routes.heartbeat.path.replace('{id}', told.id);
    const {status, body} = await client.call(path, {method: 'POST', key: told.key});
    if (status !== 200) {
      if (status < 500) ledger.loss(`heartbeat of ${told.id}: ${status} ${body}`);
      ledger.count(`heartbeats answered ${status}`);
      return;
    }
    const {last_heartbeat_at: at} = JSON.parse(body);
    if (at > told.lastBeat) told.lastBeat = at;
    ledger.count('heartbeats');
    ledger.milliseconds.push(performance.now() - startedAt);
  } catch {
    ledger.count('heartbeats without a response');
  }
}

/** Milliseconds between two checks for due connectors: one timer for the fleet, not one for each. */
const turn = 20;

/** Sends heartbeats for connectors until the time is over, with intervals that vary by ten per cent. */
export async function live(traffic: Traffic, fleet: readonly Told[]): Promise<void> {
  const {interval, signal, ledger} = traffic;
  const spread = () => interval * (0.9 + Math.random() * 0.2);
  const due = fleet.map(() => performance.now() + Math.random() * interval);
  const underWay = new Set<Told>();
  while (!signal.aborted) {
    const now = performance.now();
    for (const [index, told] of fleet.entries()) {
      if ((due[index] ?? 0) > now) continue;
      due[index] = now + spread();
      if (underWay.has(told)) ledger.count('heartbeats skipped, because one was in progress');
      else {
        underWay.add(told);
        void beat(traffic, told).finally(() => underWay.delete(told));
      }
    }
    await rest(turn, signal);
  }
  while (underWay.size > 0) await delay(turn);
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(Math.max(0, milliseconds), undefined, {signal}).catch(() => undefined);
}

/** Repeats something until the time is over. */
export async function repeat(signal: AbortSignal, every: number, work: () => Promise<unknown>) {
  while (!signal.aborted) {
    await work();
    await rest(every, signal);
  }
}

/** Reads the whole list and compares it with what was acknowledged. */
export async function look({client, key, ledger, interval}: Traffic): Promise<boolean> {
  const promised = ledger.promised();
  // Half an interval, for the duration of the response.
  const aliveSince = () => new Date(Date.now() - 1.5 * interval).toISOString();
  try {
    const {status, body} = await client.call(routes.list.path, {key});
    if (status !== 200) return false;
    const list: Listed[] = JSON.parse(body);
    ledger.compare(list, promised, aliveSince());
    ledger.count('looks at the whole list');
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

/** A client that misbehaves, and disconnects after a while. */
export async function misbehave({url, ledger, signal}: Traffic): Promise<void> {
  const {hostname, port} = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(nuisances[Math.floor(Math.random() * nuisances.length)] ?? '');
  ledger.count('bad clients');
  await rest(Math.random() * 3000, signal);
  socket.destroy();
}
