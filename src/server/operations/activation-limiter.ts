import ipaddr from 'ipaddr.js';
import {LRUCache} from 'lru-cache';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';

/** Maximum number of addresses to count; when it is exceeded, the least recently counted one is forgotten. */
const addresses = 10_000;

/**
 * Allows `maximum` guesses per minute and address; see `activate`. `@fastify/rate-limit` counts every request, but
 * successful activations must not count: a hundred machines may share one address. So this is an LRU cache of counters
 * that expire.
 *
 * @param now milliseconds on a monotonic clock, so that setting the system clock changes no window
 */
export function createActivationLimiter(
  maximum: number,
  now: () => number,
): Context['countFailedActivation'] {
  const counts = new LRUCache<string, number>({
    max: addresses,
    // The cache drops an entry only once its age exceeds the time to live, so the `ttl` is 1 ms less than a minute.
    ttl: 60_000 - 1,
    perf: {now},
    ttlResolution: 0,
    noUpdateTTL: true,
  });
  return (address) => {
    const key = rateLimitKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= maximum) return;
    throw new ProblemError('rate_limited', {
      detail: `Rate limit: ${maximum} malformed or unknown tokens per minute and address.`,
      retryAfter: Math.max(1, Math.ceil(counts.getRemainingTTL(key) / 1000)),
    });
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address, from which one host can use any address. */
function rateLimitKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
