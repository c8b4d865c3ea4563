import {createClient as create} from './client/create-client.js';
import type {Client, ClientOptions} from './client/types.js';

/** The exports of the package `connectorctl`: a client for every service with this interface. */
export type {ClientErrorReason} from './client/reasons.js';
export type {
  ActivationReading,
  ActivationTokenReading,
  CallOptions,
  Client,
  ClientOptions,
  ConnectorList,
  ConnectorReading,
  HeartbeatOptions,
  HeartbeatReading,
  KeepAliveChange,
  KeepAliveOptions,
  ListOptions,
} from './client/types.js';
export type {Json, JsonObject} from './domain/json.js';
export {AppError, type AppErrorOptions, type ErrorKind, exitCodes} from './errors.js';

/**
 * Creates a client of a service. The wrapper keeps the types of the transport out of the published ones.
 *
 * @throws AppError of kind `usage` for an invalid option. Sends nothing.
 */
export function createClient(options: ClientOptions): Client {
  return create(options);
}
