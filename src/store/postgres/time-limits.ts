/** How long a PostgreSQL store waits for what, in milliseconds. */
export interface TimeLimits {
  /** For a statement, as its server counts. */
  readonly statement: number;
  /** For a statement that goes over all records, as the server counts. */
  readonly long: number;
  /** For a response, as this process counts. Longer than the limit of the server, which may have fallen silent. */
  readonly response: number;
  /** For the next statement within a transaction, as the server counts. */
  readonly idleTransaction: number;
  /** For retries of an operation after transient errors. */
  readonly patience: number;
  /** For connecting, and then for the response, in a readiness check. */
  readonly check: number;
  /** For connections to close in good order when the store is closed. */
  readonly shutdown: number;
}

/** The limits of one request add up to less than the ten seconds after which our client times out. */
export const defaultTimeLimits: TimeLimits = {
  statement: 5000,
  long: 60_000,
  response: 6000,
  idleTransaction: 10_000,
  patience: 2000,
  check: 2000,
  shutdown: 2000,
};
