/** Whether virtual time passes on its own. */
export type ClockMode = 'frozen' | 'running';

/** The initial state of a virtual clock. */
interface ClockOptions {
  readonly mode: ClockMode;
  /** Virtual seconds per real second while the clock runs. */
  readonly rate: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Real milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** The clock of a sandbox. Its time only moves forward, at a rate and by `advance`. */
export class VirtualClock {
  readonly mode: ClockMode;
  readonly rate: number;
  readonly startedAt: number;
  readonly #monotonic: () => number;
  readonly #begin: number;
  #advanced = 0;

  constructor({mode, rate, startedAt, monotonic}: ClockOptions) {
    this.mode = mode;
    this.rate = rate;
    this.startedAt = startedAt;
    this.#monotonic = monotonic;
    this.#begin = monotonic();
  }

  /** Virtual milliseconds since the Unix epoch. */
  readonly now = (): number => {
    const passed = this.mode === 'frozen' ? 0 : (this.#monotonic() - this.#begin) * this.rate;
    return Math.floor(this.startedAt + this.#advanced + passed);
  };

  /** Converts virtual seconds to real seconds. */
  readonly realSeconds = (seconds: number): number =>
    this.mode === 'frozen' ? seconds : seconds / this.rate;

  /** @param milliseconds above 0 */
  advance(milliseconds: number): void {
    this.#advanced += milliseconds;
  }
}
