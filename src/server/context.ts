import type {StoreLog} from '../store/open.js';
import type {Store} from '../store/store.js';
import type {NoteKeyUse} from './key-uses.js';
import type {Metrics} from './metrics.js';
import type {RefusalLimiter} from './refusals.js';
import type {Sources} from './sources.js';

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
