import type {ConnectorStatus} from '../contract/index.js';
import type {ConnectorRecord} from './records.js';

/** A connector is online, and then stale, until this many intervals after its last heartbeat. */
const onlineIntervals = 2;
const staleIntervals = 10;

/** The oldest last heartbeats of online and of stale connectors, in milliseconds since the Unix epoch. */
export interface StatusBounds {
  readonly onlineSince: number;
  readonly staleSince: number;
}

/** The bounds of `connectorStatus` at a time, to classify many connectors. */
export function statusBounds(now: number, intervalSeconds: number): StatusBounds {
  return {
    onlineSince: now - onlineIntervals * intervalSeconds * 1000,
    staleSince: now - staleIntervals * intervalSeconds * 1000,
  };
}

/**
 * The status of a connector from the age of its last heartbeat. It is derived at each read and never
 * stored, so a late heartbeat always makes a connector online. A heartbeat in the future (the clock
 * was set back) counts as just received: the record does not show later heartbeats, and reporting a
 * live fleet as offline would be the worse error.
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

/** The status of a connector: `revoked` for a revoked key, else by its last heartbeat. */
export function statusOf(
  {revokedAt, lastHeartbeatAt}: Pick<ConnectorRecord, 'revokedAt' | 'lastHeartbeatAt'>,
  now: number,
  intervalSeconds: number,
): ConnectorStatus {
  return revokedAt === null ? connectorStatus(lastHeartbeatAt, now, intervalSeconds) : 'revoked';
}
