import type {Client} from '../client/types.js';
import {claimedKind, secretPrefixes} from '../domain/secret.js';

/** Characters after the prefix that distinguish a key. */
const shownCharacters = 4;

/** Length of the shortest key of which a part may be shown, in characters. */
const shortestShown = 20;

/**
 * The beginning of an API key, by which its owner recognizes it: the prefix of its kind, and four more
 * characters. For a shorter key only `…`.
 */
export function keyPrefix(key: string): string {
  const kind = claimedKind(key);
  const prefix = kind === undefined ? '' : secretPrefixes[kind];
  if (key.length < shortestShown) return '…';
  return `${key.slice(0, prefix.length + shownCharacters)}…`;
}

/**
 * The organization of the key: that of the first connector of the list, because the list contains only
 * connectors of the key's organization (interface §4.3). Null when there is no connector, or the service sends no organization.
 *
 * @throws AppError as the client does, for instance when the service refuses the key
 */
export async function organizationOf(client: Client): Promise<string | null> {
  const [first] = await client.listConnectors().toArray(1);
  return first?.organization ?? null;
}
