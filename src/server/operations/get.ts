import type {Connector} from '../../contract/index.js';
import {statusBounds, statusOf} from '../../domain/liveness.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {sharedAt, startsLastHour} from '../../domain/senders.js';
import {timestamp, timestampOrNull} from '../../domain/timestamp.js';
import {type HandlerFactory, notFound, refuseRevoked} from './handler.js';

/** Returns one connector (interface §4.4). */
export const get: HandlerFactory<'get'> =
  ({store, now, heartbeatInterval}) =>
  async ({caller, params}) => {
    const record = await store.findConnector(params.id, caller.scope);
    if (record === undefined) throw notFound(caller);
    refuseRevoked(caller, record);
    return toConnectorResponse(record, now(), heartbeatInterval);
  };

/**
 * Converts a connector to the format of the interface. The status is derived at each read.
 *
 * @param now milliseconds since the Unix epoch
 * @param heartbeatInterval seconds
 */
export function toConnectorResponse(
  record: ConnectorRecord,
  now: number,
  heartbeatInterval: number,
): Connector {
  const {id, name, organization, activatedAt, lastHeartbeatAt, senders} = record;
  return {
    id,
    name,
    organization,
    status: statusOf(record, statusBounds(now, heartbeatInterval)),
    activated_at: timestamp(activatedAt),
    last_heartbeat_at: timestampOrNull(lastHeartbeatAt),
    identity_shared_at: timestampOrNull(sharedAt(senders, now, heartbeatInterval * 1000)),
    starts_last_hour: startsLastHour(senders, now),
  };
}
