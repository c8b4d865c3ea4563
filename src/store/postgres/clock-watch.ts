import type {StoreLog} from '../store.js';

/** Stricter than `clockTolerance`: both are servers, and asking takes but a moment. Milliseconds. */
const tolerance = 5000;

/**
 * Compares the clock of this process with that of the database, which is one for all. Expiries and last
 * heartbeats go by the clocks of the processes: one that is off takes the living for dead, or the dead
 * for alive, and its heartbeats make the others do so.
 */
export class ClockWatch {
  readonly #now: () => number;
  readonly #log: StoreLog;
  #isOff = false;

  /** @param now the clock of this process, in milliseconds since the Unix epoch */
  constructor(now: () => number, log: StoreLog) {
    this.#now = now;
    this.#log = log;
  }

  /**
   * Asks the database for its time, and tells the log when it is not that of this process, and when it
   * is so again.
   *
   * @param ask comes to a row with the time by the database's clock
   */
  async look(ask: () => Promise<readonly {readonly now: number}[]>): Promise<void> {
    const asked = this.#now();
    const [row] = await ask();
    if (row !== undefined) this.#compare(row.now, asked, this.#now());
  }

  #compare(theirs: number, asked: number, answered: number): void {
    // The database may have read its clock at any time between the question and the answer.
    const ahead = Math.max(0, asked - theirs) - Math.max(0, theirs - answered);
    const isOff = Math.abs(ahead) > tolerance;
    if (isOff === this.#isOff) return;
    this.#isOff = isOff;
    const details = {seconds_ahead: Math.round(ahead / 1000)};
    if (isOff) {
      this.#log.warn(
        details,
        'the clock of this process is not that of the database; what it says of who is alive, and of which tokens have expired, is wrong by as much',
      );
    } else this.#log.info(details, 'the clock of this process is that of the database again');
  }
}
