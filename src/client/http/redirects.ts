import type {IncomingMessage} from 'node:http';
import {headers as headerNames} from '../../contract/headers.js';

/** Compares scheme, host and port: http and https of the same host are different origins. */
export function isCrossOrigin(from: URL, to: URL): boolean {
  return from.origin !== to.origin;
}

/**
 * Whether to follow a redirect. A GET may go to any origin, but another one does not get the key. A POST
 * stays a POST to the same origin: its body may hold an activation token for this service alone. So a
 * 303, which would turn it into a GET, is not followed.
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

/** Removes the credentials from headers: got removes only `Authorization`, and not for every other origin. */
export function withoutKey(
  headers: Record<string, unknown>,
  keyHeader: string = headerNames.authorization,
): void {
  delete headers[headerNames.authorization];
  delete headers[keyHeader];
}
