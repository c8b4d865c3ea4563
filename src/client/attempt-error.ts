import type {AppError} from '../errors.js';

/**
 * Whether another attempt may help.
 * `not-processed`: the service did not process the request; any operation may be repeated.
 * `unknown`: the response was lost, and the work may be done; only a repeatable operation is repeated.
 * `permanent`: another attempt cannot help.
 */
export type Retryability = 'not-processed' | 'unknown' | 'permanent';

/** A failed attempt. It stays inside the client, which throws the `error` in it. */
export class AttemptError extends Error {
  readonly error: AppError;
  readonly retryability: Retryability;
  /** Milliseconds that the service asks to wait (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined;

  constructor(
    error: AppError,
    retryability: Retryability,
    {retryAfter}: {retryAfter?: number | undefined} = {},
  ) {
    super(error.message);
    this.error = error;
    this.retryability = retryability;
    this.retryAfter = retryAfter;
  }
}
