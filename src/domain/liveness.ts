import type {ConnectorStatus} from '../contract/index.js';
import type {ConnectorRecord} from './records.js';

/** A connector is online for this many heartbeat intervals after its last heartbeat. */
export const onlineIntervals = 2;
/** A connector becomes offline this many heartbeat intervals after its last heartbeat. */
export const staleIntervals = 10;

/** The bounds of the statuses, in milliseconds since the Unix epoch. */
export interface StatusBounds {
  /** The oldest last heartbeat of an online connector. */
  readonly onlineSince: number;
  /** The oldest last heartbeat of a stale connector. */
  readonly staleSince: number;
}

/** The bounds of the statuses now. @param now milliseconds since the Unix epoch */
export function statusBounds(now: number, intervalSeconds: number): StatusBounds {
  return {
    onlineSince: now - onlineIntervals * intervalSeconds * 1000,
    staleSince: now - staleIntervals * intervalSeconds * 1000,
  };
}

/**
 * The status of a connector: `revoked` for a revoked key, else by the age of its last heartbeat. It is derived at each
 * read and never stored, so a late heartbeat always makes a connector online. A heartbeat in the future (the clock was
 * set back) counts as just received: the record never goes backwards, so it does not show later heartbeats, and
 * reporting live connectors as offline would be the worse error.
 */
export function statusOf(
  {revokedAt, lastHeartbeatAt}: Pick<ConnectorRecord, 'revokedAt' | 'lastHeartbeatAt'>,
  {onlineSince, staleSince}: StatusBounds,
): ConnectorStatus {
  if (revokedAt !== null) return 'revoked';
  if (lastHeartbeatAt === null) return 'never';
  if (lastHeartbeatAt >= onlineSince) return 'online';
  return lastHeartbeatAt >= staleSince ? 'stale' : 'offline';
}
