import {randomBytes, randomInt, randomUUID} from 'node:crypto';
import {createIdFactory, type IdFactory} from '../domain/ids.js';

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
