import {randomBytes, randomInt} from 'node:crypto';
import {createIdFactory, type IdFactory} from '../domain/ids.js';

/** Where time, randomness and ids come from. */
export interface Sources {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds on a clock that nobody sets, for durations within this process. */
  readonly monotonic: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: IdFactory;
}

/** Bits of a random number that `randomInt` can draw at once. */
const randomBits = 47;

/** The system's clock and its secure randomness. */
export const systemSources: Sources = {
  now: Date.now,
  monotonic: () => performance.now(),
  randomBytes,
  newId: createIdFactory(() => randomInt(2 ** randomBits) / 2 ** randomBits),
};
