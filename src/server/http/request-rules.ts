import type {IncomingMessage, ServerResponse} from 'node:http';
import {limits} from '../../contract/index.js';
import {ProblemError} from './problems.js';

/** A host with an optional port (RFC 9110 §7.2), or nothing. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** How Node recognizes `Expect: 100-continue`. */
const continuePattern = /(?:^|\W)100-continue(?:$|\W)/i;

/** Checks rules of HTTP that Node does not enforce, or enforces without a response body. */
export function refuseByHttp(request: IncomingMessage): ProblemError | undefined {
  const {host, expect} = request.headers;
  // The parser also takes a request line without a version (0.9), and HTTP/2.0.
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') {
    return new ProblemError('request_invalid', {detail: 'This is not HTTP/1.1.'});
  }
  // RFC 9112 §3.2.
  if (host === undefined ? request.httpVersion === '1.1' : !isOneHost(request, host)) {
    return new ProblemError('request_invalid', {
      detail: 'HTTP/1.1 needs one Host header that names a host.',
    });
  }
  // RFC 9110 §10.1.1.
  if (expect !== undefined && !continuePattern.test(expect)) {
    return new ProblemError('expectation_failed');
  }
  return undefined;
}

/** Requests with `Expect: 100-continue` to which `100 Continue` was sent. */
const continued = new WeakSet<IncomingMessage>();

/** Whether a client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1). */
export function awaitsContinue(request: IncomingMessage): boolean {
  const {httpVersion, headers} = request;
  const isExpected = httpVersion === '1.1' && continuePattern.test(headers.expect ?? '');
  return isExpected && !continued.has(request);
}

/**
 * Sends `100 Continue` to a client that waits for it, once the rest of the request is accepted.
 *
 * @throws ProblemError `body_too_large` when Content-Length is above the limit
 */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!awaitsContinue(request)) return;
  if (Number(request.headers['content-length']) > limits.bodyBytes) {
    throw new ProblemError('body_too_large');
  }
  continued.add(request);
  response.writeContinue();
}

function isOneHost({rawHeaders}: IncomingMessage, host: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count === 1 && hostPattern.test(host);
}
