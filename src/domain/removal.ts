import type {ConnectorRecord, Decision} from './records.js';

/** The most connectors that a store removes at once, in one transaction. */
export const removalBatch = 500;

/**
 * Whether a connector's last heartbeat is earlier than a time, in milliseconds since the Unix epoch. A connector that
 * never sent one is not silent: it may be about to start.
 */
export function isSilentSince(
  {lastHeartbeatAt}: Pick<ConnectorRecord, 'lastHeartbeatAt'>,
  time: number,
): boolean {
  return lastHeartbeatAt !== null && lastHeartbeatAt < time;
}

/**
 * Decides on `Store.removeConnectors`. Tokens need no change: the token of a removed connector counts as used
 * (`redeemToken`), and ids are never used again.
 *
 * @param found the requested connectors that exist
 */
export function removeConnectors(
  found: readonly ConnectorRecord[],
  lastHeartbeatBefore: number | null,
): Decision<readonly ConnectorRecord[]> {
  const answer = found.filter(
    (connector) => lastHeartbeatBefore === null || isSilentSince(connector, lastHeartbeatBefore),
  );
  return {answer, write: {removed: answer.map(({id}) => id)}};
}
