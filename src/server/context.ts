import type {ApiKeyRecord} from '../domain/records.js';
import type {Store} from '../store/store.js';
import type {AuditLog} from './observability/audit.js';
import type {Metrics} from './observability/metrics.js';
import type {UnknownConnectors} from './observability/unknown-connectors.js';
import type {Runtime} from './runtime.js';

/** The dependencies of request handlers. */
export interface Context extends Runtime {
  readonly store: Store;
  /** Lifetime of an activation token in seconds, unless the request names one. */
  readonly tokenTtl: number;
  /** Interval at which connectors are asked to send heartbeats, in seconds. */
  readonly heartbeatInterval: number;
  /** Counts a failed activation of an address. @throws ProblemError `rate_limited` beyond the limit */
  readonly countFailedActivation: (address: string) => void;
  readonly metrics: Metrics;
  readonly unknown: UnknownConnectors;
  /** Records in the background that a key was used, at a time in milliseconds since the Unix epoch. */
  readonly noteKeyUse: (key: ApiKeyRecord, at: number) => void;
  readonly log: Log;
}

/** The part of a pino logger that the service uses. */
export interface Log extends AuditLog {
  isLevelEnabled(level: string): boolean;
}
