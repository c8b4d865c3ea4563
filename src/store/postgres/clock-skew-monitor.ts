import type {StoreLog} from '../store.js';

/** Milliseconds. Stricter than `clockTolerance`, because both are servers and a query is fast. */
const tolerance = 5000;

/**
 * Compares the clock of this process with the clock of the database, which all processes share. Expiry
 * and last heartbeats depend on the clocks of the processes. A process whose clock is wrong reports
 * live connectors as offline, or dead ones as online, and its heartbeats mislead the other processes.
 */
export class ClockSkewMonitor {
  readonly #now: () => number;
  readonly #log: StoreLog;
  #isOff = false;

  /** @param now the clock of this process, in milliseconds since the Unix epoch */
  constructor(now: () => number, log: StoreLog) {
    this.#now = now;
    this.#log = log;
  }

  /**
   * Compares the clocks, and logs when a skew begins and when it ends.
   *
   * @param query returns a row with the time of the database
   */
  async check(query: () => Promise<readonly {readonly now: number}[]>): Promise<void> {
    const sentAt = this.#now();
    const [row] = await query();
    if (row !== undefined) this.#compare(row.now, sentAt, this.#now());
  }

  #compare(theirs: number, sentAt: number, receivedAt: number): void {
    // The database may have read its clock at any time between the query and its response.
    const ahead = Math.max(0, sentAt - theirs) - Math.max(0, theirs - receivedAt);
    const isOff = Math.abs(ahead) > tolerance;
    if (isOff === this.#isOff) return;
    this.#isOff = isOff;
    const details = {seconds_ahead: Math.round(ahead / 1000)};
    if (isOff) {
      this.#log.warn(
        details,
        'clock skew between this process and the database; liveness and token expiry are off by this much',
      );
    } else this.#log.info(details, 'no clock skew between this process and the database any more');
  }
}
