import {randomBytes, randomInt, randomUUID} from 'node:crypto';
import {createIdFactory, type IdFactory} from '../domain/ids.js';
import type {ApiKeyRecord} from '../domain/records.js';
import type {Store} from '../store/store.js';
import type {AuditLog} from './observability/audit.js';
import type {Metrics} from './observability/metrics.js';
import type {UnknownConnectors} from './observability/unknown-connectors.js';

/** Time, randomness and ids. */
export interface Runtime {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock, for durations within this process. */
  readonly monotonic: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: IdFactory;
  /** Random: sequential ids would reveal to each caller how many requests others send. */
  readonly newRequestId: () => string;
}

/** Number of random bits per `randomInt` call, whose range must be below 2^48. */
const randomBits = 47;

/** The system's clock and its secure randomness. */
export const systemRuntime: Runtime = {
  now: Date.now,
  monotonic: () => performance.now(),
  randomBytes,
  newId: createIdFactory(() => randomInt(2 ** randomBits) / 2 ** randomBits),
  newRequestId: randomUUID,
};

/** The dependencies of request handlers. */
export interface Context extends Runtime {
  readonly store: Store;
  /** Lifetime of an activation token in seconds, unless the request names one. */
  readonly tokenTtl: number;
  /** Interval at which connectors are asked to send heartbeats, in seconds. */
  readonly heartbeatInterval: number;
  /** Counts a malformed or unknown token from an address. @throws ProblemError `rate_limited` beyond the limit */
  readonly countFailedActivation: (address: string) => void;
  readonly metrics: Metrics;
  readonly unknown: UnknownConnectors;
  /** Records in the background that a key was used, at a time in milliseconds since the Unix epoch. */
  readonly noteKeyUse: (key: ApiKeyRecord, at: number) => void;
  readonly log: Log;
}

/** The log of the service. A pino logger fits. */
export interface Log extends AuditLog {
  isLevelEnabled(level: string): boolean;
}
