import * as z from 'zod/mini';
import {ConnectorName, type ConnectorStatus} from '../../contract/index.js';
import type {SandboxFleet} from '../../contract/sandbox.js';
import {firstKey} from '../../domain/activation.js';
import {onlineIntervals, staleIntervals} from '../../domain/liveness.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {ProblemError} from '../http/problems.js';
import {fraction} from './clock.js';
import type {Sandbox} from './sandbox.js';

/** Maximum number of connectors per call. */
const largestFleet = 200_000;

const count = z._default(z.int().check(z.minimum(0), z.maximum(largestFleet)), 0);

/** The organization of new records. Default: the first organization of the sandbox. */
export const organization = z._default(z.string().check(z.regex(/^[a-z0-9._-]{1,64}$/)), 'default');

export const FleetBody = z.object(
  {
    /** Number of connectors with generated names: `fleet-000001` and so on. */
    count,
    names: z._default(z.array(ConnectorName), []),
    never: count,
    stale: count,
    offline: count,
    revoked: count,
    organization,
  },
  {error: 'must be a JSON object'},
);
type FleetBody = z.output<typeof FleetBody>;

/** Minimum and maximum age of the last heartbeat for each status, in heartbeat intervals. */
const ages: Readonly<Record<Exclude<ConnectorStatus, 'never'>, readonly [number, number]>> = {
  online: [0, 1],
  stale: [onlineIntervals + 1, staleIntervals - 1],
  offline: [staleIntervals + 1, 60],
  revoked: [0, 1],
};

/** Age of the activation in heartbeat intervals: older than every heartbeat. */
const activationAge = 100;

/** Creates connectors whose last heartbeats match their statuses. Each status takes the next names, `never` first. */
export async function createFleet(
  sandbox: Sandbox,
  {count, names: given, never, stale, offline, revoked, organization}: FleetBody,
): Promise<SandboxFleet> {
  const names = [...given, ...Array.from({length: count}, () => sandbox.fleetName())];
  if (names.length === 0) throw invalidBody('/count', 'must be a number, or there must be names');
  const online = names.length - never - stale - offline - revoked;
  if (online < 0) throw invalidBody('/count', 'must be at least the sum of the other numbers');
  const connectors = {never, online, stale, offline, revoked};
  const statuses = Object.entries(connectors).flatMap(([status, number]) =>
    Array<ConnectorStatus>(number).fill(status as ConnectorStatus),
  );
  const isStored = await sandbox.writer.write((tx) =>
    names.every((name, index) => {
      if (!tx.hasRoom(organization, 'connectors')) return false;
      const status = statuses[index] ?? 'online';
      tx.write({connectors: [makeConnector(sandbox, {organization, name}, status)]});
      return true;
    }),
  );
  if (!isStored) {
    const detail = 'The connectors that were created before the limit remain.';
    throw new ProblemError('too_many_connectors', {detail});
  }
  return {organization, connectors};
}

/** The error for a field of a body that is invalid although its schema accepts it. */
function invalidBody(path: string, message: string): ProblemError {
  const detail = 'The body was refused.';
  return new ProblemError('request_invalid', {detail, errors: [{path, message}]});
}

function makeConnector(
  {runtime, fleetRandom, heartbeatInterval}: Sandbox,
  fields: Pick<ConnectorRecord, 'organization' | 'name'>,
  status: ConnectorStatus,
): ConnectorRecord {
  const at = runtime.now();
  const interval = heartbeatInterval * 1000;
  const [from, to] = ages[status === 'never' ? 'online' : status];
  const age = from + fraction(fleetRandom) * (to - from);
  return {
    ...fields,
    ...firstKey,
    ...(status === 'revoked' && {revokedAt: at, revocationReason: 'Made by the sandbox'}),
    id: runtime.newId('con', at),
    // A random hash without a key: these connectors are for reading only, and cannot send heartbeats.
    keyHash: Buffer.from(runtime.randomBytes(32)).toString('base64url'),
    activatedAt: at - activationAge * interval,
    lastHeartbeatAt: status === 'never' ? null : Math.floor(at - age * interval),
  };
}
