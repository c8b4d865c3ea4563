import {isIP} from 'node:net';
import {compile} from '@fastify/proxy-addr';
import {AppError} from '../../errors.js';

/** Names for ranges of addresses that `@fastify/proxy-addr` knows. */
const ranges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** Networks of all addresses, which `@fastify/proxy-addr` takes in halves only. */
const halves: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['0.0.0.0/1', '128.0.0.0/1'],
  '::/0': ['::/1', '8000::/1'],
};

/**
 * Checks a list of addresses, networks and names of ranges, separated by commas, for `trustProxy` and
 * `addressMatcher`.
 *
 * @param flag the flag that the list was given with
 * @throws AppError when an entry is none of these
 */
export function readAddresses(flag: string, list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.flatMap((entry) => {
    const parts = halves[entry] ?? [entry];
    if (ranges.includes(entry) || parts.every(isNetwork)) return parts;
    throw new AppError('usage', `${flag} ${JSON.stringify(entry)} is no address and no network.`, {
      hint: `Write addresses or networks, such as 10.0.0.7,10.1.0.0/16, or ${ranges.join(', ')}.`,
    });
  });
}

function isNetwork(entry: string): boolean {
  // The old short forms of addresses (`10/8`, and `1` for 0.0.0.1) are more often a mistake than meant.
  if (isIP(entry.split('/', 1)[0] ?? '') === 0) return false;
  try {
    compile([entry]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks a list of host names, separated by commas.
 *
 * @param flag the flag that the list was given with
 * @throws AppError when an entry is not a host name
 */
export function readHosts(flag: string, list: string): string[] {
  const hosts = list.split(',').map((entry) => entry.trim().toLowerCase());
  for (const host of hosts) {
    if (/^[a-z0-9_]([\w.-]*[a-z0-9_])?$/.test(host)) continue;
    throw new AppError('usage', `${flag} ${JSON.stringify(host)} is not a host name.`, {
      hint: 'Write host names without scheme, port or path, such as metrics.example,connectors.internal.',
    });
  }
  return hosts;
}

/** Tells whether an address is in a list that `readAddresses` has checked; an IPv4 one in its IPv6 form too. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const matches = compile([...entries]);
  return (address) => matches(address, 0);
}

/** An address, or an IPv6 one in brackets, that a port may follow. */
const addressAndPort = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/;

/**
 * Removes the ports that some proxies write into `X-Forwarded-For`. With them each connection would be
 * an address of its own, and no address a proxy's.
 */
export function withoutPorts(forwardedFor: string): string {
  return forwardedFor
    .split(',')
    .map((entry) => entry.trim().replace(addressAndPort, '$1$2'))
    .join(', ');
}
