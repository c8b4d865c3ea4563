import {connectorStatus} from '../../domain/liveness.js';
import {notFound} from '../auth.js';
import type {HandlerFactory} from '../operation.js';
import {timestamp} from '../timestamp.js';

/** Records that a connector is alive (interface §4.5). A body is not needed and not looked at. */
export const heartbeat: HandlerFactory<'heartbeat'> =
  ({store, now, heartbeatInterval, metrics}) =>
  async ({caller, params}) => {
    const at = now();
    const record = await store.recordHeartbeat(params.id, at, caller.scope);
    if (record === undefined) throw notFound(caller);
    metrics.heartbeat();
    const last = record.lastHeartbeatAt ?? at;
    return {
      id: record.id,
      status: connectorStatus(last, at, heartbeatInterval),
      last_heartbeat_at: timestamp(last),
      next_heartbeat_seconds: heartbeatInterval,
    };
  };
