import {BlockList, isIP} from 'node:net';
import ipaddr from 'ipaddr.js';
import {AppError} from '../errors.js';

/** Names for ranges of addresses, as Fastify's `trustProxy` knows them too. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Checks a list of addresses, networks and names of ranges, separated by commas.
 *
 * @param flag the flag that the list was given with
 * @throws AppError when an entry is none of these
 */
export function readAddresses(flag: string, list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    if (Object.hasOwn(ranges, entry) || isIP(entry) !== 0 || isNetwork(entry)) continue;
    throw new AppError('usage', `${flag} ${JSON.stringify(entry)} is no address and no network.`, {
      hint: `Write addresses or networks, such as 10.0.0.7,10.1.0.0/16, or ${Object.keys(ranges).join(', ')}.`,
    });
  }
  return entries;
}

function isNetwork(entry: string): boolean {
  // The old short forms of addresses (`10/8`, and `1` for 0.0.0.1) are more often a mistake than meant.
  return isIP(entry.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(entry);
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
  const list = new BlockList();
  for (const entry of entries.flatMap((entry) => ranges[entry] ?? [entry])) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
