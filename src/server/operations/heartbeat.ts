import {headers} from '../../contract/index.js';
import {statusBounds, statusOf} from '../../domain/liveness.js';
import {timestamp} from '../../domain/timestamp.js';
import {type HandlerFactory, notFound, refuseRevoked} from './handler.js';

/** The form of a process id. Longer ids would only waste memory. */
const processId = /^[\w-]{1,64}$/;

/** Records that a connector is alive (interface §4.5). The body is ignored. */
export const heartbeat: HandlerFactory<'heartbeat'> =
  ({store, now, heartbeatInterval, unknown}) =>
  async ({caller, params, request}) => {
    const at = now();
    const process = request.headers[headers.process];
    const sender =
      typeof process === 'string' && processId.test(process)
        ? {id: process, interval: heartbeatInterval * 1000}
        : undefined;
    const record = await store.recordHeartbeat(params.id, at, caller.scope, sender);
    if (record === undefined) {
      const revoked =
        caller.kind === 'connector' && (await store.findConnector(params.id, caller.scope));
      if (revoked) refuseRevoked(caller, revoked);
      unknown.record(params.id, at, request.ip);
      throw notFound(caller);
    }
    const last = record.lastHeartbeatAt ?? at;
    const seen = {revokedAt: record.revokedAt, lastHeartbeatAt: last};
    return {
      id: record.id,
      status: statusOf(seen, statusBounds(at, heartbeatInterval)),
      last_heartbeat_at: timestamp(last),
      next_heartbeat_seconds: heartbeatInterval,
    };
  };
