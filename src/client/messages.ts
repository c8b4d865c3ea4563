import type {IncomingHttpHeaders} from 'node:http';
import type {Operation} from '../contract/index.js';
import type {AppError} from '../errors.js';

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address that sent the response, after redirects. */
  readonly url: URL;
  /** The service's clock, where it sent a `Date`. */
  readonly serverTime: Date | undefined;
  /** The response comes from another origin than the base URL's, which does not get the API key. */
  readonly keyWithheld: boolean;
}

export const isSuccess = ({status}: ResponseHead) => status >= 200 && status < 300;

/** A response and its body. */
export interface ServiceResponse extends ResponseHead {
  readonly body: Buffer;
  /** Whether the body is longer than `longestBody`, and `body` only its beginning. */
  readonly isTooLong: boolean;
}

/** Longest body that is read, in MiB: of a list, and of any other response. */
export function longestBody(operation: Operation | undefined): number {
  return operation === 'list' ? 64 : 1;
}

/** Joins repeated headers, as RFC 9110 §5.3 allows. */
export function singleHeaders(headers: IncomingHttpHeaders): ResponseHead['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value && [value].flat().join(', ')]),
  );
}

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

  constructor(error: AppError, retryability: Retryability) {
    super(error.message);
    this.error = error;
    this.retryability = retryability;
  }
}
