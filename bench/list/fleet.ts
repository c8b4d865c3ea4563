import {connectorId} from '../fleet.js';

/**
 * A connector with the fields of the reference service; one in ten is offline, one in fifty never was online.
 *
 * @param now in milliseconds since the Unix epoch
 */
export function connectorText(number: number, now: number): string {
  const isOffline = number % 10 === 3;
  const seen = new Date(now - ((number * 7919) % (isOffline ? 86_400_000 : 60_000)));
  return JSON.stringify({
    id: connectorId(number),
    name: `connector-${String(number).padStart(7, '0')}`,
    organization: 'default',
    status: isOffline ? 'offline' : 'online',
    activated_at: '2026-01-01T00:00:00.000Z',
    last_heartbeat_at: number % 50 === 3 ? null : seen.toISOString(),
  });
}

/** A list of connectors, as the body of a response. */
export function listText(count: number): string {
  const now = Date.now();
  return `[${Array.from({length: count}, (_, number) => connectorText(number, now)).join()}]`;
}
