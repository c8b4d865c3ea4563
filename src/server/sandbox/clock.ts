import {AppError} from '../../errors.js';

/** Whether virtual time passes on its own. */
export type ClockMode = 'frozen' | 'running';

/** The latest time: ten years later, the year still has four digits. */
const latestTime = Date.UTC(9990, 0, 1);

/** The clock of a sandbox. Its time only moves forward, at a rate and by `advance`. */
export class VirtualClock {
  readonly mode: ClockMode;
  /** Virtual seconds per real second while the clock runs. */
  readonly rate: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly #realTime: () => number;
  #advanced = 0;

  /** @param monotonic returns real milliseconds */
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

  /** Converts virtual seconds to real seconds. */
  readonly realSeconds = (seconds: number): number =>
    this.mode === 'frozen' ? seconds : seconds / this.rate;

  /**
   * Moves the time forward. Nothing else needs an update: expiry, liveness and faults follow from the time of each
   * read.
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
