/** What `import … from 'connectorctl'` gives: a client of any service that speaks the interface. */
export {createClient} from './client/create-client.js';
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
} from './client/types.js';
export {AppError, type AppErrorOptions, type ErrorKind, exitCodes} from './errors.js';
