import type {ConnectorStatus} from '../contract/index.js';
import type {ConnectorRecord} from './records.js';

/** A connector is online up to this many intervals after its last heartbeat, and stale up to the second bound. */
const onlineIntervals = 2;
const staleIntervals = 10;

/** Until which last heartbeat, in milliseconds since the Unix epoch, a connector is online and is stale. */
export interface StatusBounds {
  readonly onlineSince: number;
  readonly staleSince: number;
}

/** The bounds by which `connectorStatus` judges at a time, to judge many connectors by. */
export function statusBounds(now: number, intervalSeconds: number): StatusBounds {
  return {
    onlineSince: now - onlineIntervals * intervalSeconds * 1000,
    staleSince: now - staleIntervals * intervalSeconds * 1000,
  };
}

/**
 * How alive a connector is, from the age of its last heartbeat (design §4). Derived at each read and
 * never stored, so a late heartbeat always revives. A heartbeat from the future (the clock was set
 * back) counts as age zero: whether its connector has beaten since is not known, and a fleet that
 * lives must not be called dead.
 *
 * @param lastHeartbeatAt milliseconds since the Unix epoch, null before the first
 * @param now milliseconds since the Unix epoch
 * @param intervalSeconds the heartbeat interval
 */
export function connectorStatus(
  lastHeartbeatAt: number | null,
  now: number,
  intervalSeconds: number,
): Exclude<ConnectorStatus, 'revoked'> {
  if (lastHeartbeatAt === null) return 'never';
  const intervals = (now - lastHeartbeatAt) / (intervalSeconds * 1000);
  if (intervals <= onlineIntervals) return 'online';
  return intervals <= staleIntervals ? 'stale' : 'offline';
}

/** The status of a connector: `revoked` once its key is, whatever comes after, and otherwise how alive it is. */
export function statusOf(
  {revokedAt, lastHeartbeatAt}: Pick<ConnectorRecord, 'revokedAt' | 'lastHeartbeatAt'>,
  now: number,
  intervalSeconds: number,
): ConnectorStatus {
  return revokedAt === null ? connectorStatus(lastHeartbeatAt, now, intervalSeconds) : 'revoked';
}
