import {createClient as create} from './client/create-client.js';
import type {Client, ClientOptions} from './client/types.js';

/** What `import … from 'connectorctl'` gives: a client of any service that speaks the interface. */
export type {ClientErrorReason} from './client/reasons.js';
export type {
  ActivationReading,
  ActivationTokenReading,
  CallOptions,
  Client,
  ClientOptions,
  ConnectorReading,
  HeartbeatReading,
  Json,
  JsonObject,
  ListOptions,
} from './client/types.js';
export {AppError, type AppErrorOptions, type ErrorKind, exitCodes} from './errors.js';

/**
 * Makes a client of a service that speaks the interface.
 *
 * @throws AppError of kind `usage` for an option that cannot work. Nothing is sent yet.
 */
export function createClient(options: ClientOptions): Client {
  return create(options);
}
