import type {z} from 'zod/mini';
import type {ConnectorStatus} from '../../contract/index.js';
import type {FleetBody, SandboxFleet} from '../../contract/sandbox.js';
import {hashSecret} from '../../domain/secret.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';
import {fraction, type RandomBytes} from './random.js';

type FleetContext = Pick<Context, 'store' | 'now' | 'newId' | 'randomBytes' | 'heartbeatInterval'>;

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

/** Creates connectors whose last heartbeats match their statuses. */
export async function createFleet(
  context: FleetContext,
  {count, organization, ...others}: z.output<typeof FleetBody> & {readonly organization: string},
  firstNumber: number,
  random: RandomBytes,
): Promise<SandboxFleet> {
  const {stale, offline, never, revoked} = others;
  const online = count - stale - offline - never - revoked;
  if (online < 0) {
    throw new ProblemError('request_invalid', {
      detail: 'The body was refused.',
      errors: [{path: '/count', message: 'must be at least the sum of the other numbers'}],
    });
  }
  const connectors = {never, online, stale, offline, revoked};
  const statuses = statusesOf(connectors);
  const name = (index: number) => `fleet-${String(firstNumber + index).padStart(6, '0')}`;
  for (let start = 0; start < count; start += batchSize) {
    const batch = statuses.slice(start, start + batchSize);
    await Promise.all(
      batch.map((status, index) =>
        createConnector(context, organization, name(start + index), status, random),
      ),
    );
  }
  return {organization, connectors, first_name: name(0), last_name: name(count - 1)};
}

function statusesOf(counts: Readonly<Record<ConnectorStatus, number>>): ConnectorStatus[] {
  const entries = Object.entries(counts) as [ConnectorStatus, number][];
  return entries.flatMap(([status, count]) => Array<ConnectorStatus>(count).fill(status));
}

async function createConnector(
  {store, now, newId, randomBytes, heartbeatInterval}: FleetContext,
  organization: string,
  name: string,
  status: ConnectorStatus,
  random: RandomBytes,
): Promise<void> {
  const at = now();
  const interval = heartbeatInterval * 1000;
  const id = newId('con', at);
  // The token and the key of the connector are discarded, because nothing uses them.
  const tokenHash = hashSecret(Buffer.from(randomBytes(32)).toString('base64url'));
  const keyHash = hashSecret(Buffer.from(randomBytes(32)).toString('base64url'));
  const activatedAt = at - activationAge * interval;
  const lastHeartbeatAt =
    status === 'never' ? null : Math.floor(at - ageOf(status, random) * interval);
  await store.createToken({
    hash: tokenHash,
    organization,
    description: null,
    createdAt: activatedAt,
    expiresAt: at + interval,
    redemption: null,
  });
  await store.redeemToken({
    tokenHash,
    idempotencyHash: null,
    at,
    connector: {id, name, keyHash, activatedAt, lastHeartbeatAt},
  });
  if (status === 'revoked') await store.revokeConnector(id, at, 'Made by the sandbox');
}

function ageOf(status: Exclude<ConnectorStatus, 'never'>, random: RandomBytes): number {
  const [from, to] = ages[status];
  return from + fraction(random) * (to - from);
}
