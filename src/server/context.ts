import type {IdFactory} from '../domain/ids.js';
import type {Store} from '../store/store.js';
import type {RefusalLimiter} from './refusals.js';

/** What the handlers work with. Time, randomness and ids come from here alone. */
export interface Context {
  readonly store: Store;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: IdFactory;
  /** Lifetime of an activation token in seconds, unless the request names one. */
  readonly tokenTtl: number;
  /** Interval at which connectors are asked to send heartbeats, in seconds. */
  readonly heartbeatInterval: number;
  readonly refusals: RefusalLimiter;
  readonly log: Log;
}

/** The part of a pino logger that the service uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}
