import type {ApiKeyRecord} from '../domain/records.js';
import type {Store} from '../store/store.js';
import type {AuditLog} from './observability/audit.js';
import type {Metrics} from './observability/metrics.js';
import type {Runtime} from './runtime.js';

/** Records in the background that a key was used, at a time in milliseconds since the Unix epoch. */
export type NoteKeyUse = (key: ApiKeyRecord, at: number) => void;

/** Counts failed activations per address, in windows of one minute. */
export interface ActivationLimiter {
  /** Counts one. @throws ProblemError `rate_limited` beyond the limit */
  count(address: string): void;
}

/** What request handlers work with. */
export interface Context extends Runtime {
  readonly store: Store;
  /** Lifetime of an activation token in seconds, unless the request names one. */
  readonly tokenTtl: number;
  /** Interval at which connectors are asked to send heartbeats, in seconds. */
  readonly heartbeatInterval: number;
  readonly activationLimiter: ActivationLimiter;
  readonly metrics: Metrics;
  readonly noteKeyUse: NoteKeyUse;
  readonly log: Log;
  /** Headers of every response. */
  readonly responseHeaders: () => Readonly<Record<string, string>>;
}

/** The part of a pino logger that the service uses. */
export interface Log extends AuditLog {
  isLevelEnabled(level: string): boolean;
}
