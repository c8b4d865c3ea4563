import type {ConnectorStatus} from '../contract/index.js';

/** A connector is online up to this many intervals after its last heartbeat, and stale up to the second bound. */
const onlineIntervals = 2;
const staleIntervals = 10;

/**
 * How alive a connector is, from the age of its last heartbeat (design §4). Derived at each read and
 * never stored, so a late heartbeat always revives. A heartbeat from the future (the clock was set
 * back) counts as age zero.
 *
 * @param lastHeartbeatAt milliseconds since the Unix epoch, null before the first
 * @param now milliseconds since the Unix epoch
 * @param intervalSeconds the heartbeat interval
 */
export function connectorStatus(
  lastHeartbeatAt: number | null,
  now: number,
  intervalSeconds: number,
): ConnectorStatus {
  if (lastHeartbeatAt === null) return 'never';
  const intervals = (now - lastHeartbeatAt) / (intervalSeconds * 1000);
  if (intervals <= onlineIntervals) return 'online';
  return intervals <= staleIntervals ? 'stale' : 'offline';
}
