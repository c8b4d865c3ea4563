import type {AppError} from '../errors.js';

/**
 * What a failed attempt means for the next one.
 * `unhandled`: the service surely did nothing, for it was not reached or says so: any operation may be repeated.
 * `unknown`: the response was lost, the work may be done: only what may be done twice is repeated.
 * `final`: repeating cannot help.
 */
export type Retryability = 'unhandled' | 'unknown' | 'final';

/** One attempt that failed. It never leaves the client: the error inside it does. */
export class AttemptError extends Error {
  readonly error: AppError;
  readonly retryability: Retryability;
  /** Milliseconds that the service asks to wait (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined;

  constructor(error: AppError, fate: Retryability, retryAfter?: number) {
    super(error.message);
    this.error = error;
    this.retryability = fate;
    this.retryAfter = retryAfter;
  }
}
