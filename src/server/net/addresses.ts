import {isIP} from 'node:net';
import {compile} from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';
import {AppError} from '../../errors.js';

/** Names of address ranges that `@fastify/proxy-addr` knows. */
const ranges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** `@fastify/proxy-addr` rejects /0 networks, so it gets each as two halves. */
const halves: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['0.0.0.0/1', '128.0.0.0/1'],
  '::/0': ['::/1', '8000::/1'],
};

/** The settings that take addresses, each with the noun for an entry in messages. */
const settings = {trustProxy: 'trusted proxy', metricsAllow: 'metrics reader'} as const;

/**
 * Reads a comma-separated list of addresses, networks and names of ranges, for `trustProxy` and
 * `addressMatcher`.
 *
 * @throws AppError for any other entry
 */
export function readAddresses(
  setting: keyof typeof settings,
  list: string | undefined,
): string[] | undefined {
  const entries = list?.split(',').map((entry) => entry.trim());
  return entries?.flatMap((entry) => {
    const parts = halves[entry] ?? [entry];
    if (ranges.includes(entry) || parts.every(isNetwork)) return parts;
    throw new AppError(
      'usage',
      `The ${settings[setting]} ${JSON.stringify(entry)} is neither an address nor a network.`,
      {reason: 'network-invalid', details: {setting, names: ranges.join(', ')}},
    );
  });
}

function isNetwork(entry: string): boolean {
  // Short forms (`10/8`, or `1` for 0.0.0.1) are usually a mistake.
  if (isIP(entry.split('/', 1)[0] ?? '') === 0) return false;
  try {
    compile([entry]);
    return true;
  } catch {
    return false;
  }
}

/** Matches addresses, including IPv4 addresses in IPv6 form, against a list from `readAddresses`. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const matches = compile([...entries]);
  return (address) => matches(address, 0);
}

/** An IPv4 address, or an IPv6 address in brackets, with an optional port. */
const addressAndPort = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/;

/**
 * Removes the ports that some proxies write into `X-Forwarded-For`. With a port, each connection would count as a
 * separate address, and none would match a trusted proxy.
 */
export function withoutPorts(forwardedFor: string): string {
  return forwardedFor
    .split(',')
    .map((entry) => entry.trim().replace(addressAndPort, '$1$2'))
    .join(', ');
}

/** Whether a host is `localhost` or a loopback address in any notation: only this machine can reach it. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
