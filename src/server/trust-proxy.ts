import {isIP} from 'node:net';
import ipaddr from 'ipaddr.js';
import {AppError} from '../errors.js';

/** Names for ranges of addresses, as Fastify knows them. */
const ranges: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Checks a list of proxies, separated by commas: addresses, networks and names of ranges. Whoever is
 * in it is believed about a caller's address; "everybody" is no answer, since callers then choose
 * their own.
 *
 * @throws AppError when an entry is none of these
 */
export function readTrustedProxies(list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    if (ranges.has(entry) || isIP(entry) !== 0 || isNetwork(entry)) continue;
    throw new AppError('usage', `--trust-proxy ${JSON.stringify(entry)} names no proxy.`, {
      hint: `Write addresses or networks, such as 10.0.0.7,10.1.0.0/16, or ${[...ranges].join(', ')}.`,
    });
  }
  return entries;
}

function isNetwork(entry: string): boolean {
  // The old short forms of addresses (`10/8`, and `1` for 0.0.0.1) are more often a mistake than meant.
  return isIP(entry.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(entry);
}
