import type {IncomingMessage} from 'node:http';
import {headers as headerNames} from '../../contract/headers.js';

/** Header values of a request by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** Scheme, host and port all count: a redirect from https to http of the same host is another origin. */
export function isCrossOrigin(from: URL, to: URL): boolean {
  return from.origin !== to.origin;
}

/**
 * Which redirects are followed. A GET may go anywhere, without the key where the origin is another.
 * A POST stays a POST to the same origin (so 303, which would make it a GET, is not followed):
 * its body may hold an activation token, which is meant for this service alone.
 */
export function mayFollow(
  method: string,
  from: URL,
  response: Pick<IncomingMessage, 'headers' | 'statusCode'>,
): boolean {
  const {location} = response.headers;
  if (location === undefined || !URL.canParse(location, from.href)) return false;
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return false;
  return method === 'GET' || (response.statusCode !== 303 && !isCrossOrigin(from, to));
}

/** Takes what says who we are out of a request's headers: got takes `Authorization` alone, and not on every change of origin. */
export function withoutKey(
  headers: Record<string, unknown>,
  keyHeader: string = headerNames.authorization,
): void {
  delete headers[headerNames.authorization];
  delete headers[keyHeader];
}
