import {type AttemptOptions, attempt} from './attempt.js';
import type {Call, Exchange} from './exchange.js';

/** Time-outs of one operation in a row after which it is not tried again. */
const mostTimeouts = 2;

/** Same-origin redirects of one request that are followed. */
const mostRedirects = 3;

/**
 * A plain HTTP client that shows responses as they come: no retry, no connection kept open, and limits
 * for time and size, so that a slow or hostile service can neither hang the suite nor fill its memory.
 */
export class Probe {
  readonly #options: AttemptOptions;
  readonly #timeouts = new Map<string, number>();

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, and follows redirects on the same origin that keep its method.
   *
   * @throws Unreachable when no connection can be established
   */
  async send(call: Call): Promise<Exchange> {
    const key = call.operation ?? call.method;
    if ((this.#timeouts.get(key) ?? 0) >= mostTimeouts) {
      const failure = `not sent, because the last ${mostTimeouts} requests of this operation timed out`;
      return {call, response: undefined, failure};
    }
    let exchange = await attempt(call, this.#options);
    for (let redirects = 0; redirects < mostRedirects; redirects += 1) {
      const url = redirectOf(exchange);
      if (url === undefined) break;
      exchange = await attempt({...call, url}, this.#options);
    }
    const timedOut = /\btimed out\b/.test(exchange.failure ?? exchange.response?.defect ?? '');
    this.#timeouts.set(key, timedOut ? (this.#timeouts.get(key) ?? 0) + 1 : 0);
    return exchange;
  }
}

function redirectOf({call, response}: Exchange): URL | undefined {
  const location = response?.headers['location'];
  if (response === undefined || location === undefined) return undefined;
  const keepsMethod = call.method === 'GET' || call.method === 'HEAD';
  if (!(keepsMethod ? [301, 302, 307, 308] : [307, 308]).includes(response.status))
    return undefined;
  if (!URL.canParse(location, call.url.href)) return undefined;
  const url = new URL(location, call.url);
  return url.origin === call.url.origin ? url : undefined;
}
