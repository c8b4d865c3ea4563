import type {Operation} from '../contract/index.js';
import {AppError, type AppErrorOptions, type ErrorKind} from '../errors.js';
import type {ClientErrorReason} from './reasons.js';
import type {ConnectionReading} from './types.js';

/** A response, and the part of its body that arrived. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address that sent the response, after redirects. */
  readonly url: URL;
  /** The service's time: `Date` plus the `Age` from a cache (RFC 9111 §4.2.3); undefined without a `Date`. */
  readonly serverTime: Date | undefined;
  readonly connection: ConnectionReading | undefined;
  readonly body: Buffer;
  /** Whether the body is longer than `longestBody`, and `body` only its beginning. */
  readonly isTooLong: boolean;
}

export type ResponseHead = Pick<ServiceResponse, 'headers' | 'serverTime' | 'status' | 'url'>;

export const isSuccess = ({status}: Pick<ResponseHead, 'status'>) => status >= 200 && status < 300;

/** Maximum size of a response body in MiB; a list may be larger than other responses. */
export function longestBody(operation: Operation | undefined): number {
  return operation === 'list' ? 64 : 1;
}

export interface ClientErrorOptions
  extends Omit<AppErrorOptions, 'hint' | 'outcomeUnknown' | 'reason'> {
  /** Whether another attempt may succeed and is safe. */
  isPassing?: boolean;
  /** Whether the service may have carried out the request: its response was lost, or cannot be read. See `outcomeUnknown`. */
  isLost?: boolean;
}

/** An error of the client: it has a reason, and leaves the hint to the program that uses the client. */
export class ClientError extends AppError {
  /** Whether another attempt may succeed, in this call; `isTransient` is about later calls. */
  readonly isPassing: boolean;
  /** Whether the service may have carried out the request. */
  readonly isLost: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    reason: ClientErrorReason,
    {isPassing = false, isLost = false, ...options}: ClientErrorOptions = {},
  ) {
    super(kind, message, {...options, reason});
    this.isPassing = isPassing;
    this.isLost = isLost;
  }
}
