import ipaddr from 'ipaddr.js';
import {LRUCache} from 'lru-cache';
import type {ActivationLimiter} from '../context.js';
import {ProblemError} from '../http/problems.js';

const windowMilliseconds = 60_000;
/** Maximum number of addresses; beyond it the least recently counted one is forgotten. */
const addresses = 10_000;

/**
 * Allows `maximum` failed activations per minute and address. `@fastify/rate-limit` counts every
 * request, but successful activations must not count: a hundred machines may share one address. What
 * remains is an LRU cache of counters that expire.
 *
 * @param now milliseconds on a monotonic clock, so that setting the system clock changes no window
 */
export function createActivationLimiter(maximum: number, now: () => number): ActivationLimiter {
  const windows = new LRUCache<string, {refused: number; readonly endsAt: number}>({
    max: addresses,
  });
  return {
    count(address) {
      const key = rateLimitKey(address);
      const known = windows.get(key);
      const isOver = known === undefined || now() >= known.endsAt;
      const window = isOver ? {refused: 0, endsAt: now() + windowMilliseconds} : known;
      window.refused += 1;
      windows.set(key, window);
      if (window.refused <= maximum) return;
      throw new ProblemError('rate_limited', {
        detail: `Rate limit: ${maximum} failed activations per minute and address.`,
        retryAfter: Math.max(1, Math.ceil((window.endsAt - now()) / 1000)),
      });
    },
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address, from which one host can use any address. */
function rateLimitKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
