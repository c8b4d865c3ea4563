import type {z} from 'zod/mini';
import type {ConnectorStatus} from '../../contract/index.js';
import {
  type FleetBody,
  type FleetConnector,
  largestShownFleet,
  type SandboxFleet,
} from '../../contract/sandbox.js';
import {ProblemError} from '../http/problems.js';
import {fraction, type RandomBytes} from './random.js';
import {type RecordContext, redeem, storeToken} from './tokens.js';

/** Connectors created concurrently, so that they share their writes to the store. */
const batchSize = 1000;

/** Minimum and maximum age of the last heartbeat for each status, in heartbeat intervals. */
const ages: Readonly<Record<Exclude<ConnectorStatus, 'never'>, readonly [number, number]>> = {
  online: [0, 1],
  stale: [3, 9],
  offline: [11, 60],
  revoked: [0, 1],
};

/** Time since activation, in heartbeat intervals: earlier than all heartbeats. */
const activationAge = 100;

/** What to create: each connector has a name. */
type Fleet = Omit<z.output<typeof FleetBody>, 'organization'> & {
  readonly names: readonly string[];
  readonly organization: string;
};

/** The names of further connectors of a fleet, `fleet-000001` and so on. */
export function namesOf(before: number, count: number): string[] {
  return Array.from(
    {length: count},
    (_, index) => `fleet-${String(before + index + 1).padStart(6, '0')}`,
  );
}

/** Creates connectors whose last heartbeats match their statuses. */
export async function createFleet(
  context: RecordContext,
  fleet: Fleet,
  random: RandomBytes,
): Promise<SandboxFleet> {
  const {names, organization, stale, offline, never, revoked, credentials} = fleet;
  const online = names.length - stale - offline - never - revoked;
  refuseConflicts(fleet, online);
  const connectors = {never, online, stale, offline, revoked};
  const statuses = statusesOf(connectors);
  const created: FleetConnector[] = [];
  for (let start = 0; start < names.length; start += batchSize) {
    const batch = statuses.slice(start, start + batchSize);
    const made = await Promise.all(
      batch.map((status, index) =>
        createConnector(context, organization, names[start + index] ?? '', status, random),
      ),
    );
    if (credentials) created.push(...made);
  }
  return {
    organization,
    connectors,
    first_name: names[0] ?? '',
    last_name: names.at(-1) ?? '',
    ...(credentials && {created}),
  };
}

function refuseConflicts({count, names, credentials}: Fleet, online: number): void {
  const refused = (path: string, message: string) =>
    new ProblemError('request_invalid', {
      detail: 'The body was refused.',
      errors: [{path, message}],
    });
  if (names.length === 0) throw refused('/count', 'must be a number, or there must be names');
  if (count !== undefined && count !== names.length)
    throw refused('/count', 'must be the number of names, or be left out');
  if (online < 0) throw refused('/count', 'must be at least the sum of the other numbers');
  if (credentials && names.length > largestShownFleet)
    throw refused('/count', `must be at most ${largestShownFleet} with credentials`);
}

function statusesOf(counts: Readonly<Record<ConnectorStatus, number>>): ConnectorStatus[] {
  const entries = Object.entries(counts) as [ConnectorStatus, number][];
  return entries.flatMap(([status, count]) => Array<ConnectorStatus>(count).fill(status));
}

const remains = 'The connectors of the fleet that were created before remain.';

async function createConnector(
  context: RecordContext,
  organization: string,
  name: string,
  status: ConnectorStatus,
  random: RandomBytes,
): Promise<FleetConnector> {
  const at = context.now();
  const interval = context.heartbeatInterval * 1000;
  const lastHeartbeatAt =
    status === 'never' ? null : Math.floor(at - ageOf(status, random) * interval);
  const activatedAt = at - activationAge * interval;
  const token = await storeToken(context, organization, at + interval, remains);
  const {id, key} = await redeem(context, token, {name, activatedAt, lastHeartbeatAt}, remains);
  if (status === 'revoked') await context.store.revokeConnector(id, at, 'Made by the sandbox');
  return {id, name, status, api_key: key};
}

function ageOf(status: Exclude<ConnectorStatus, 'never'>, random: RandomBytes): number {
  const [from, to] = ages[status];
  return from + fraction(random) * (to - from);
}
