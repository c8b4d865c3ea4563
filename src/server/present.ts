import type {Connector} from '../contract/index.js';
import {connectorStatus} from '../domain/liveness.js';
import type {ConnectorRecord} from '../domain/records.js';

let latest = {milliseconds: 0, text: new Date(0).toISOString()};

/**
 * A time in milliseconds since the Unix epoch as the interface writes it (interface §2). The latest
 * one is kept: under load many answers fall into one millisecond, and writing a date is dear.
 */
export function timestamp(milliseconds: number): string {
  if (milliseconds !== latest.milliseconds) {
    latest = {milliseconds, text: new Date(milliseconds).toISOString()};
  }
  return latest.text;
}

/**
 * A connector as the interface answers it; the status is derived here, at each read.
 *
 * @param now milliseconds since the Unix epoch
 * @param heartbeatInterval seconds
 */
export function presentConnector(
  record: ConnectorRecord,
  now: number,
  heartbeatInterval: number,
): Connector {
  const {id, name, organization, activatedAt, lastHeartbeatAt} = record;
  return {
    id,
    name,
    organization,
    status: connectorStatus(lastHeartbeatAt, now, heartbeatInterval),
    activated_at: timestamp(activatedAt),
    last_heartbeat_at: lastHeartbeatAt === null ? null : timestamp(lastHeartbeatAt),
  };
}
