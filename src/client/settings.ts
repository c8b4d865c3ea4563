import {headers} from '../contract/headers.js';
import {AppError} from '../errors.js';
import type {ClientOptions} from './types.js';

/** What a client works with: its options, checked and completed. */
export interface Settings {
  /** Without trailing slash, user information, query and fragment. */
  readonly base: URL;
  /** The header that carries the API key, and its value; undefined without a key. */
  readonly credential: {readonly header: string; readonly value: string} | undefined;
  /** The API key alone, for what must never show it. */
  readonly apiKey: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly trace: ((line: string) => void) | undefined;
}

/** Defaults of one attempt's time limit in milliseconds, and of the number of retries (design §2). */
const defaults = {timeout: 10_000, retries: 2} as const;

/** The longest delay that a Node timer can hold; a longer one would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/**
 * Checks the options of a client.
 *
 * @throws AppError of kind `usage`, never with the API key in it.
 */
export function readSettings(options: ClientOptions): Settings {
  const {apiKey, authHeader, timeout = defaults.timeout, retries = defaults.retries} = options;
  if (!(timeout > 0 && timeout <= longestTimeout)) {
    throw new AppError('usage', `The time limit must be 1 to ${longestTimeout} milliseconds`, {
      hint: 'Give another with --timeout, such as 10s.',
    });
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new AppError('usage', 'The number of retries must be a whole number, 0 or more', {
      hint: 'Give another with --retries.',
    });
  }
  return {
    base: readBaseUrl(options.baseUrl),
    credential: apiKey === undefined ? undefined : readCredential(apiKey, authHeader),
    apiKey,
    timeout,
    retries,
    trace: options.trace,
  };
}

/**
 * A base URL, checked and without trailing slash: two that name the same service are equal then.
 *
 * @throws AppError of kind `usage`; the text is not repeated, for it may hold a password.
 */
export function readBaseUrl(baseUrl: string | URL): URL {
  const hint = 'Give the base URL as http://host:port or https://host/prefix.';
  const text = String(baseUrl);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What is typed as a mere `host:port` may be parsed all the same, with the host as its scheme.
  const fault = text.includes('://') ? baseUrlFault(url) : 'begins with no http:// or https://';
  if (url === undefined || fault !== undefined) {
    throw new AppError('usage', `The base URL of the service ${fault}`, {hint});
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function baseUrlFault(url: URL | undefined): string | undefined {
  if (url === undefined) return 'is not a URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be http or https';
  if (url.username || url.password) return 'must not hold a user name or a password';
  if (url.search || url.hash) return 'must not have a query or a fragment';
  return undefined;
}

/** @throws AppError of kind `usage` unless the text can be the name of a header */
export function checkAuthHeader(authHeader: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(authHeader)) {
    throw new AppError('usage', 'The header for the API key must be an HTTP header name', {
      hint: 'Give the name alone with --auth-header, such as X-API-Key.',
    });
  }
  return authHeader;
}

/** `Authorization` carries `Bearer KEY` (RFC 6750 §2.1), any other header the bare key (design §2). */
function readCredential(apiKey: string, authHeader: string = headers.authorization) {
  // Visible ASCII: what every header can carry (RFC 9110 §5.5). A line feed here is a pasted one.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new AppError('usage', 'The API key is empty or has characters that no key has', {
      hint: 'Paste the key alone, without spaces or line ends.',
    });
  }
  const header = checkAuthHeader(authHeader).toLowerCase();
  return {header, value: header === headers.authorization ? `Bearer ${apiKey}` : apiKey};
}
