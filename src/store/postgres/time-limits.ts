/** How long a PostgreSQL store waits for what, in milliseconds. */
export interface TimeLimits {
  /** For a statement, as its server counts. */
  readonly statement: number;
  /** For a statement that goes over all records, as the server counts. */
  readonly long: number;
  /** For an answer, as this process counts: later than the server, for it speaks where that cannot. */
  readonly response: number;
  /** For the next statement within a transaction, as the server counts. */
  readonly idleTransaction: number;
  /** Until an operation that failed in passing is no longer tried again. */
  readonly patience: number;
  /** For the database, and then for its answer, when it is checked: whoever asks wants to know soon. */
  readonly check: number;
  /** For connections to part in good order when the store is closed. */
  readonly parting: number;
}

/** Those of one request stay, together, below the ten seconds that our client gives an answer. */
export const defaultTimeLimits: TimeLimits = {
  statement: 5000,
  long: 60_000,
  response: 6000,
  idleTransaction: 10_000,
  patience: 2000,
  check: 2000,
  parting: 2000,
};
