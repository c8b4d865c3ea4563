/** Time limits of a PostgreSQL store, in milliseconds. */
export interface TimeLimits {
  /** For a statement, enforced by the server. */
  readonly statement: number;
  /** For a lock that a statement waits for, enforced by the server. */
  readonly lock: number;
  /** For a statement that reads all records, enforced by the server. */
  readonly long: number;
  /** For a response, enforced by this process in case the server stops responding. Longer than the server's limit. */
  readonly response: number;
  /** For the next statement within a transaction, enforced by the server. */
  readonly idleTransaction: number;
  /** For retries of an operation after transient errors, and for a batch before it that is still running. */
  readonly patience: number;
  /** For connecting, and then for the response, in a readiness check. */
  readonly check: number;
  /** For connections to close gracefully when the store is closed. */
  readonly shutdown: number;
}

/** Chosen so that the limits of one request add up to less than the ten-second timeout of our client. */
export const defaultTimeLimits: TimeLimits = {
  statement: 5000,
  lock: 2000,
  long: 60_000,
  response: 6000,
  idleTransaction: 10_000,
  patience: 2000,
  check: 2000,
  shutdown: 2000,
};
