import type {IncomingMessage} from 'node:http';
import {failureOf} from '../client/errors/network.js';
import type {ClientAgents} from '../client/http/agents.js';
import {exchange} from '../client/http/exchange.js';
import {ClientError, longestBody} from '../client/messages.js';
import type {Exchange, SuiteRequest} from './exchange.js';

/** The limits of a request. */
interface ProbeLimits {
  /** Milliseconds from the start of a request to the last byte of its response. */
  readonly timeout: number;
  /** Those that keep no connection open. */
  readonly agents: ClientAgents;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request once, and returns the response unchanged. It limits time and size, so
 * that a slow or hostile service can neither hang the suite nor fill its memory. Follows redirects on the same origin
 * that keep its method.
 *
 * @param base the service
 * @throws ClientError of kind `unavailable` when no connection can be established
 */
export async function probe(
  call: SuiteRequest,
  base: URL,
  {timeout, agents, signal}: ProbeLimits,
): Promise<Exchange> {
  signal?.throwIfAborted();
  const longest = longestBody(call.operation);
  let receivedAt = 0;
  const received = await exchange({
    ...call,
    agents,
    timeout,
    signal,
    followRedirect: (redirect) => keepsRequest(call, redirect),
    onStart: (stream) =>
      stream.once('response', () => {
        receivedAt = Date.now();
      }),
  });
  signal?.throwIfAborted();
  const {url, response, isSent, error} = received;
  const tooLong = {
    reason: 'response-too-long',
    text: `its body is longer than ${longest} MiB`,
  } as const;
  const broken = error === undefined ? undefined : failureOf(received, base.host);
  const failure = response?.isTooLong ? tooLong : broken;
  if (failure === undefined || isSent) {
    const shown = response && {...response, receivedAt, isCut: false};
    return {call: {...call, url}, response: shown, failure};
  }
  const message = `Cannot reach ${base.origin}: ${failure.text}`;
  const details = {origin: base.origin, baseUrl: base.href};
  throw new ClientError('unavailable', message, failure.reason, {details});
}

/** Whether a redirect leads to the same origin with the same method. */
function keepsRequest(
  {method, url}: SuiteRequest,
  {statusCode = 0, headers}: IncomingMessage,
): boolean {
  const {location} = headers;
  const statuses = method === 'GET' || method === 'HEAD' ? [301, 302, 307, 308] : [307, 308];
  if (location === undefined || !statuses.includes(statusCode)) return false;
  return URL.canParse(location, url.href) && new URL(location, url).origin === url.origin;
}
