import type {IncomingMessage} from 'node:http';
import type {Agents, Request} from 'got';
import {failureOf} from '../client/errors/network.js';
import {exchange, noAgents} from '../client/http/exchange.js';
import {longestBody} from '../client/messages.js';
import {ClientError} from '../client/reasons.js';
import type {Call, Exchange} from './exchange.js';

/** Time-outs of one operation in a row after which it is not tried again. */
const mostTimeouts = 2;

/** Options for sending requests. */
interface ProbeOptions {
  readonly base: URL;
  /** Milliseconds from the start of a request to the last byte of its response. */
  readonly timeout: number;
  /** For requests through a proxy. */
  readonly agent?: Agents | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends requests that show responses as they come: no retry, no connection kept open, and limits for time and size,
 * so that a slow or hostile service can neither hang the suite nor fill its memory.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #timeouts = new Map<string, number>();

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, and follows redirects on the same origin that keep its method.
   *
   * @throws ClientError of kind `unavailable` when no connection can be established
   */
  async send(call: Call): Promise<Exchange> {
    const {base, timeout, agent = noAgents, signal} = this.#options;
    const key = call.operation ?? call.method;
    const timeouts = this.#timeouts.get(key) ?? 0;
    if (timeouts >= mostTimeouts) {
      const text = `not sent, because the last ${mostTimeouts} requests of this operation timed out`;
      return {call, response: undefined, failure: {reason: 'timed-out', text}};
    }
    signal?.throwIfAborted();
    const longest = longestBody(call.operation);
    const mayFollow = (redirect: IncomingMessage) => keepsRequest(call, redirect);
    let receivedAt = 0;
    const onStart = (stream: Request) =>
      stream.once('response', () => {
        receivedAt = Date.now();
      });
    const limits = {agent, timeout, signal, longest, mayFollow};
    const received = await exchange({...call, ...limits, onStart});
    signal?.throwIfAborted();
    const {url, response, isSent, isLate, error} = received;
    this.#timeouts.set(key, isLate ? timeouts + 1 : 0);
    const failure = error === undefined ? undefined : failureOf(received, base.host, timeout);
    const sent = {...call, url};
    if (response !== undefined) {
      const tooLong = response.isTooLong ? `its body is longer than ${longest} MiB` : undefined;
      const defect = failure?.text ?? tooLong;
      return {
        call: sent,
        response: {...response, receivedAt, isCut: false, defect},
        failure: undefined,
      };
    }
    if (failure !== undefined && !isSent) {
      const message = `Cannot reach ${base.origin}: ${failure.text}`;
      const details = {origin: base.origin, baseUrl: base.href};
      throw new ClientError('unavailable', message, failure.reason, {details});
    }
    return {call: sent, response, failure};
  }
}

/** Whether a redirect leads to the same origin with the same method. */
function keepsRequest({method, url}: Call, redirect: IncomingMessage): boolean {
  const {
    statusCode = 0,
    headers: {location},
  } = redirect;
  const keepsMethod = method === 'GET' || method === 'HEAD';
  if (!(keepsMethod ? [301, 302, 307, 308] : [307, 308]).includes(statusCode)) return false;
  if (location === undefined || !URL.canParse(location, url.href)) return false;
  return new URL(location, url).origin === url.origin;
}
