import {createCipheriv, createHash} from 'node:crypto';
import {AppError} from '../../errors.js';

/** Whether virtual time passes on its own. */
export type ClockMode = 'frozen' | 'running';

/** The latest time of the clock. It leaves ten years until the year has five digits. */
const latestTime = Date.UTC(9990, 0, 1);

/** The clock of a sandbox. Its time only moves forward: at a rate while it runs, and by `advance`. */
export class VirtualClock {
  readonly mode: ClockMode;
  /** Virtual seconds per real second while the clock runs. */
  readonly rate: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly #realTime: () => number;
  #advanced = 0;

  /** @param monotonic returns real time in milliseconds */
  constructor(mode: ClockMode, rate: number, startedAt: number, monotonic: () => number) {
    this.mode = mode;
    this.rate = rate;
    this.startedAt = startedAt;
    const begin = monotonic();
    this.#realTime = () => monotonic() - begin;
  }

  /** Virtual milliseconds since the Unix epoch. */
  readonly now = (): number => {
    const passed = this.mode === 'frozen' ? 0 : this.#realTime() * this.rate;
    return Math.floor(this.startedAt + this.#advanced + passed);
  };

  /** Converts virtual seconds to real seconds; a frozen clock leaves them unchanged. */
  readonly realSeconds = (seconds: number): number =>
    this.mode === 'frozen' ? seconds : seconds / this.rate;

  /**
   * Moves the time forward. No other state needs an update: expiry, statuses and faults are derived from the time at
   * each read.
   *
   * @param milliseconds above 0
   * @throws AppError of kind `usage` beyond the latest time
   */
  advance(milliseconds: number): void {
    if (this.now() + milliseconds > latestTime) {
      throw new AppError('usage', 'The clock of a sandbox ends with the year 9989.');
    }
    this.#advanced += milliseconds;
  }
}

export type RandomBytes = (size: number) => Buffer;

/**
 * A stream of random bytes determined by a seed and a name: the key stream of AES-256 in counter mode. Streams with
 * different names are independent, so that one consumer of randomness does not affect another.
 */
export function randomStream(seed: number, name: string): RandomBytes {
  const key = createHash('sha256').update(`${seed} ${name}`).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (size) => cipher.update(Buffer.alloc(size));
}

/** A uniform random number in [0, 1) from a stream. */
export function fraction(random: RandomBytes): number {
  return random(6).readUIntBE(0, 6) / 2 ** 48;
}
