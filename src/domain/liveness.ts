import type {ConnectorStatus} from '../contract/index.js';
import type {ConnectorRecord} from './records.js';

/** A connector is online until `onlineIntervals` after its last heartbeat, and then stale until `staleIntervals`. */
export const onlineIntervals = 2;
export const staleIntervals = 10;

/** The oldest last heartbeats of online and of stale connectors, in milliseconds since the Unix epoch. */
export interface StatusBounds {
  readonly onlineSince: number;
  readonly staleSince: number;
}

/** The bounds of the statuses at a time, in milliseconds since the Unix epoch. */
export function statusBounds(now: number, intervalSeconds: number): StatusBounds {
  return {
    onlineSince: now - onlineIntervals * intervalSeconds * 1000,
    staleSince: now - staleIntervals * intervalSeconds * 1000,
  };
}

/**
 * The status of a connector now; see `statusWithin`.
 *
 * @param now milliseconds since the Unix epoch
 */
export function statusOf(
  connector: Pick<ConnectorRecord, 'revokedAt' | 'lastHeartbeatAt'>,
  now: number,
  intervalSeconds: number,
): ConnectorStatus {
  return statusWithin(connector, statusBounds(now, intervalSeconds));
}

/**
 * The status of a connector: `revoked` for a revoked key, else by the age of its last heartbeat. It is derived at each
 * read and never stored, so a late heartbeat always makes a connector online. A heartbeat in the future (the clock was
 * set back) counts as just received: the record never goes backwards, so it does not show later heartbeats, and
 * reporting a live fleet as offline would be the worse error.
 */
export function statusWithin(
  {revokedAt, lastHeartbeatAt}: Pick<ConnectorRecord, 'revokedAt' | 'lastHeartbeatAt'>,
  {onlineSince, staleSince}: StatusBounds,
): ConnectorStatus {
  if (revokedAt !== null) return 'revoked';
  if (lastHeartbeatAt === null) return 'never';
  if (lastHeartbeatAt >= onlineSince) return 'online';
  return lastHeartbeatAt >= staleSince ? 'stale' : 'offline';
}
