import {headers} from '../contract/headers.js';
import {AppError} from '../errors.js';
import {longestTimer} from '../system/clock.js';
import {ClientError} from './messages.js';
import type {ClientOptions} from './types.js';

/** A client's options, checked and with defaults. */
export interface Settings extends Pick<ClientOptions, 'onResponse' | 'trace'> {
  /** Without user information, query, fragment and, unless the path is `/`, a trailing slash. */
  readonly base: URL;
  /** The header that carries the API key, and its value; undefined without a key. */
  readonly credential: {readonly header: string; readonly value: string} | undefined;
  /** The API key alone, to be redacted wherever it appears. */
  readonly apiKey: string | undefined;
  /** The time limit of one attempt in milliseconds. */
  readonly timeout: number;
  readonly retries: number;
}

/** The defaults of a client: the header of the API key, the time limit of one attempt in milliseconds, and the number of retries. */
export const clientDefaults = {authHeader: 'Authorization', timeout: 10_000, retries: 2};

/**
 * Refuses an unknown option, such as a misspelled one, instead of ignoring it.
 *
 * @param owner the function, as the message names it
 * @param known an object with the names of all options
 * @throws AppError `usage` with the reason `option-unknown`
 */
export function checkNames<Options extends object>(
  owner: string,
  options: Options,
  known: Readonly<Record<keyof Options, unknown>>,
): void {
  const names = Object.keys(known);
  const unknown = Object.keys({...options}).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = `${owner} has no option ${unknown}; it has ${names.join(', ')}.`;
  throw new AppError('usage', message, {reason: 'option-unknown'});
}

/**
 * Checks the options of a client.
 *
 * @throws AppError of kind `usage`; the message omits the API key
 */
export function readSettings(options: ClientOptions): Settings {
  const {apiKey, authHeader} = options;
  const {timeout = clientDefaults.timeout, retries = clientDefaults.retries} = options;
  if (!(timeout >= 1 && timeout <= longestTimer)) {
    const message = `The time limit must be 1 to ${longestTimer} milliseconds`;
    throw new ClientError('usage', message, 'timeout-invalid');
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    const message = 'The number of retries must be a whole number, 0 or more';
    throw new ClientError('usage', message, 'retries-invalid');
  }
  const base = readBaseUrl(options.baseUrl);
  const credential = apiKey === undefined ? undefined : readCredential(apiKey, authHeader);
  return {...options, base, credential, apiKey, timeout, retries};
}

/**
 * Checks a base URL and removes its trailing slashes, so that two URLs of the same service are equal.
 *
 * @throws AppError of kind `usage`; the message omits a URL that may hold a secret
 */
export function readBaseUrl(baseUrl: string | URL): URL {
  const text = String(baseUrl);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const defect = baseUrlDefect(text, url);
  if (url === undefined || defect !== undefined) {
    const shown = /^\W*https?:\/\/[^@?#\\]*$/i.test(text) ? `: ${text}` : '';
    const message = `The base URL of the service ${defect}${shown}`;
    throw new ClientError('usage', message, 'base-url-invalid');
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function baseUrlDefect(text: string, url: URL | undefined): string | undefined {
  if (/^\s*unix:/i.test(text)) return 'names a Unix socket; the service must listen on a port';
  // A URL parser reads the host in `host:port` as a scheme.
  if (!text.includes('://')) return 'begins with no http:// or https://';
  // A URL parser reads `user:12/PASSWORD@host` and `DOMAIN\\user:PASSWORD@host` as a host with a path.
  if (/[@\\]/.test(text)) return 'must not hold a user name, a password, @ or \\';
  if (url === undefined) return 'is not a URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be http or https';
  if (url.search || url.hash) return 'must not have a query or a fragment';
  return undefined;
}

/** Normalizes a base URL: `HTTP://Host:80/` is saved as `http://host`. @throws AppError `usage` */
export function checkedUrl(text: string): string {
  return readBaseUrl(text.trim()).href.replace(/\/$/, '');
}

/** Whether two base URLs name the same service; an invalid one equals only itself. */
export function isSameService(one: string, other: string): boolean {
  // Equal texts name one service even if invalid, so that the caller reports the invalid URL.
  if (one === other) return true;
  try {
    return readBaseUrl(one).href === readBaseUrl(other).href;
  } catch {
    return false;
  }
}

/** Whether a URL leads to this machine, so that no proxy is used and plain HTTP is safe. */
export function isLoopback({hostname}: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(
    hostname,
  );
}

/** @throws AppError of kind `usage` unless the text can be the name of a header */
export function checkAuthHeader(authHeader: string): string {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(authHeader)) {
    const message = 'The header for the API key must be an HTTP header name';
    throw new ClientError('usage', message, 'auth-header-invalid');
  }
  return authHeader;
}

/** Whether a key is visible ASCII, which every header can carry (RFC 9110 §5.5). A pasted key may hold a line feed. */
export const isSendable = (apiKey: string | undefined): apiKey is string =>
  apiKey !== undefined && /^[\x21-\x7e]+$/.test(apiKey);

/** `Authorization` carries `Bearer KEY` (RFC 6750 §2.1), any other header the bare key. */
function readCredential(apiKey: string, authHeader = clientDefaults.authHeader) {
  if (!isSendable(apiKey)) {
    const message = 'The API key is empty or has invalid characters';
    throw new ClientError('usage', message, 'api-key-invalid');
  }
  const header = checkAuthHeader(authHeader).toLowerCase();
  return {header, value: header === headers.authorization ? `Bearer ${apiKey}` : apiKey};
}
