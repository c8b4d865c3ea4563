import type {Connector} from '../../contract/index.js';
import {statusOf} from '../../domain/liveness.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {timestamp, timestampOrNull} from '../../domain/timestamp.js';

/**
 * A connector in the format of the interface. The status is derived at each read.
 *
 * @param now milliseconds since the Unix epoch
 * @param heartbeatInterval seconds
 */
export function toConnectorResponse(
  record: ConnectorRecord,
  now: number,
  heartbeatInterval: number,
): Connector {
  const {id, name, organization, activatedAt, lastHeartbeatAt} = record;
  return {
    id,
    name,
    organization,
    status: statusOf(record, now, heartbeatInterval),
    activated_at: timestamp(activatedAt),
    last_heartbeat_at: timestampOrNull(lastHeartbeatAt),
  };
}
