import type {IncomingHttpHeaders} from 'node:http';
import type {Operation} from '../contract/index.js';
import type {CallContext} from './context.js';
import type {ProxyRoute} from './proxy.js';

/** Header values of a request by lower-case name. */
type Headers = Readonly<Record<string, string>>;

/** The request that each attempt sends. */
export interface ServiceRequest {
  readonly context: CallContext;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Headers;
  /** JSON text; undefined sends no body at all. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly proxy: ProxyRoute | undefined;
  /** Whether it may take the connection of an earlier request, and leave its own to the next one. */
  readonly keepsConnection: boolean;
  /** Called when the connection of an earlier request is closed before there is a response. */
  readonly onKeptConnectionLost: () => void;
}

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
  if (areSingle(headers)) return headers;
  const single: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}

function areSingle(headers: IncomingHttpHeaders): headers is ResponseHead['headers'] {
  for (const name in headers) if (Array.isArray(headers[name])) return false;
  return true;
}
