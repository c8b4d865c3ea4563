import {notFound, refuseRevoked} from './auth.js';
import {toConnectorResponse} from './connector-response.js';
import type {HandlerFactory} from './handler.js';

/** Returns one connector (interface §4.4). */
export const get: HandlerFactory<'get'> =
  ({store, now, heartbeatInterval}) =>
  async ({caller, params}) => {
    const record = await store.findConnector(params.id, caller.scope);
    if (record === undefined) throw notFound(caller);
    refuseRevoked(caller, record);
    return toConnectorResponse(record, now(), heartbeatInterval);
  };
