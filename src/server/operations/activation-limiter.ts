import ipaddr from 'ipaddr.js';
import {LRUCache} from 'lru-cache';
import type {RefusalLimiter} from '../context.js';
import {ProblemError} from '../http/problems.js';

const windowMilliseconds = 60_000;
/** Addresses remembered at once; beyond that the longest silent one is forgotten. */
const addresses = 10_000;

/**
 * A limiter that lets `maximum` refused activations per minute pass. `@fastify/rate-limit` counts
 * every request; here an accepted activation must cost nothing, so that a hundred machines behind
 * one address are a normal morning. What remains is a counter with an expiry, which an LRU cache is.
 *
 * @param now milliseconds on a monotonic clock: a window must not grow when the system's clock is set
 */
export function createRefusalLimiter(maximum: number, now: () => number): RefusalLimiter {
  const windows = new LRUCache<string, {refused: number; readonly endsAt: number}>({
    max: addresses,
  });
  const current = (address: string) => {
    const window = windows.get(rateLimitKey(address));
    return window !== undefined && now() < window.endsAt ? window : undefined;
  };
  const limited = (endsAt: number) =>
    new ProblemError('rate_limited', {
      detail: `At most ${maximum} refused activations per minute are answered to one address.`,
      retryAfter: Math.max(1, Math.ceil((endsAt - now()) / 1000)),
    });
  return {
    count(address) {
      const window = current(address) ?? {refused: 0, endsAt: now() + windowMilliseconds};
      window.refused += 1;
      windows.set(rateLimitKey(address), window);
      if (window.refused > maximum) throw limited(window.endsAt);
    },
  };
}

/** An IPv4 address, or the /64 network of an IPv6 one: one host has a whole such network to choose from. */
function rateLimitKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
