import * as z from 'zod/mini';
import {ConnectorName, type ConnectorStatus} from '../../contract/index.js';
import type {FleetConnector, SandboxFleet} from '../../contract/sandbox.js';
import {invalidBody} from '../http/problems.js';
import {fraction, type RandomBytes, randomStream} from './random.js';
import {type RecordContext, redeem, storeToken} from './tokens.js';

/** The organization of the created records. Default: the initial organization of the sandbox. */
export const organization = z._default(z.string().check(z.regex(/^[a-z0-9._-]{1,64}$/)), 'default');

/** Maximum number of connectors per call. */
const largestFleet = 200_000;

const count = z.int().check(z.minimum(0));

export const FleetBody = z.object(
  {
    /** Without it, that of `names`. */
    count: z.optional(count.check(z.minimum(1), z.maximum(largestFleet))),
    /** Default: `fleet-000001` and so on. */
    names: z.optional(z.array(ConnectorName).check(z.minLength(1))),
    /** Whether the response has the connectors with their API keys. */
    credentials: z._default(z.boolean(), false),
    stale: z._default(count, 0),
    offline: z._default(count, 0),
    never: z._default(count, 0),
    revoked: z._default(count, 0),
    organization,
  },
  {error: 'must be a JSON object'},
);
type FleetBody = z.output<typeof FleetBody>;

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

/** Gives each connector of a sandbox a name, and its heartbeats a random age. */
export class FleetNames {
  readonly random: RandomBytes;
  #used = 0;

  constructor(seed: number) {
    this.random = randomStream(seed, 'fleet');
  }

  /** Further names, `fleet-000001` and so on. */
  next(count: number): string[] {
    const first = this.#used + 1;
    this.#used += count;
    return Array.from(
      {length: count},
      (_, index) => `fleet-${String(first + index).padStart(6, '0')}`,
    );
  }

  reset(): void {
    this.#used = 0;
  }
}

/** Creates connectors whose last heartbeats match their statuses. */
export async function createFleet(
  context: RecordContext,
  body: FleetBody,
  fleetNames: FleetNames,
): Promise<SandboxFleet> {
  const {organization, stale, offline, never, revoked, credentials} = body;
  const names = body.names ?? fleetNames.next(body.count ?? 0);
  const online = names.length - stale - offline - never - revoked;
  refuseConflicts(body, names, online);
  const connectors = {never, online, stale, offline, revoked};
  const statuses = Object.entries(connectors) as [ConnectorStatus, number][];
  const rows = statuses
    .flatMap(([status, count]) => Array<ConnectorStatus>(count).fill(status))
    .map((status, index) => ({status, name: names[index] ?? ''}));
  const created: FleetConnector[] = [];
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    const made = await Promise.all(
      batch.map((row) => createConnector(context, organization, row, fleetNames.random)),
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

function refuseConflicts({count}: FleetBody, names: readonly string[], online: number): void {
  if (names.length === 0) throw invalidBody('/count', 'must be a number, or there must be names');
  if (count !== undefined && count !== names.length)
    throw invalidBody('/count', 'must be the number of names, or be left out');
  if (online < 0) throw invalidBody('/count', 'must be at least the sum of the other numbers');
}

const remains = 'The connectors of the fleet that were created before remain.';

async function createConnector(
  context: RecordContext,
  organization: string,
  {name, status}: Pick<FleetConnector, 'name' | 'status'>,
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
