import type {CallContext} from './context.js';
import type {Headers} from './http/redirects.js';
import type {ProxyRoute} from './proxy.js';

/** One request, as it is sent by each attempt. */
export interface ServiceRequest {
  readonly context: CallContext;
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Headers;
  /** JSON text; undefined sends no body at all. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly proxy: ProxyRoute | undefined;
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Where the response came from, after redirects. */
  readonly url: URL;
  /** The service's clock, where it sent a `Date`. */
  readonly serverTime: Date | undefined;
  /** It comes from another origin than the base URL's, which is not given the API key. */
  readonly keyWithheld: boolean;
}

/** A response: its head, the beginning of its body, and the rest where there is more. */
export interface ServiceResponse extends ResponseHead {
  /** The whole body, or its first `wholeBytes` and a little. */
  readonly start: Buffer;
  /** What follows `start`; undefined when that was all. */
  readonly rest: Rest | undefined;
}

/** The rest of a long body. Whoever does not read it to its end must close it. */
export interface Rest extends AsyncIterable<Buffer> {
  /** Hangs up. Does nothing after the end. */
  readonly close: () => void;
}

/** A body up to this size, in bytes, is read before anything is made of it: 1 MiB. */
export const bufferedBytes = 1024 * 1024;
