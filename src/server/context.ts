import type {ApiKeyRecord} from '../domain/records.js';
import type {Store, StoreLog} from '../store/store.js';
import type {Metrics} from './observability/metrics.js';
import type {RefusalLimiter} from './operations/activation-limiter.js';
import type {Sources} from './sources.js';

/** Notes that a key was used at a time in milliseconds since the Unix epoch; nobody waits for it. */
export type NoteKeyUse = (key: ApiKeyRecord, at: number) => void;

/** What the handlers work with. */
export interface Context extends Sources {
  readonly store: Store;
  /** Lifetime of an activation token in seconds, unless the request names one. */
  readonly tokenTtl: number;
  /** Interval at which connectors are asked to send heartbeats, in seconds. */
  readonly heartbeatInterval: number;
  readonly refusals: RefusalLimiter;
  readonly metrics: Metrics;
  readonly noteKeyUse: NoteKeyUse;
  readonly log: Log;
}

/** The part of a pino logger that the service uses. */
export interface Log extends StoreLog {
  isLevelEnabled(level: string): boolean;
}
