import type {Operation} from '../contract/index.js';
import {AppError, type AppErrorOptions, type ErrorKind} from '../errors.js';
import type {ClientErrorReason} from './reasons.js';
import type {ConnectionReading} from './types.js';

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address that sent the response, after redirects. */
  readonly url: URL;
  /** The service's clock, where it sent a `Date`. */
  readonly serverTime: Date | undefined;
}

export const isSuccess = ({status}: Pick<ResponseHead, 'status'>) => status >= 200 && status < 300;

/** A response and its body. */
export interface ServiceResponse extends ResponseHead {
  readonly body: Buffer;
  /** Whether the body is longer than `longestBody`, and `body` only its beginning. */
  readonly isTooLong: boolean;
  readonly connection: Omit<ConnectionReading, 'proxy'> | undefined;
}

/** Longest body that is read, in MiB: of a list, and of any other response. */
export function longestBody(operation: Operation | undefined): number {
  return operation === 'list' ? 64 : 1;
}

/**
 * Whether another attempt may help.
 * `not-processed`: the service did not process the request; any operation may be repeated.
 * `unknown`: the response was lost, and the work may be done; only a repeatable operation is repeated.
 * `permanent`: another attempt cannot help.
 */
export type Retryability = 'not-processed' | 'unknown' | 'permanent';

/** An error of the client: it has a reason, and leaves the hint to the program that uses the client. */
export class ClientError extends AppError {
  readonly retryability: Retryability;

  constructor(
    kind: ErrorKind,
    message: string,
    reason: ClientErrorReason,
    options: Omit<AppErrorOptions, 'hint' | 'reason'> & {
      retryability?: Retryability | undefined;
    } = {},
  ) {
    super(kind, message, {...options, reason});
    this.retryability = options.retryability ?? 'permanent';
  }
}
