import type {IncomingMessage} from 'node:http';
import {ProblemError} from './problems.js';

/** A host and perhaps a port (RFC 9110 §7.2), or nothing. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** How Node recognises an Expect that it meets itself. */
const continuePattern = /(?:^|\W)100-continue(?:$|\W)/i;

/** What HTTP itself says against a request, whatever it asks for, and Node would let pass or refuse without a word. */
export function refuseByHttp(request: IncomingMessage): ProblemError | undefined {
  const {host, expect} = request.headers;
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

function isOneHost({rawHeaders}: IncomingMessage, host: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count === 1 && hostPattern.test(host);
}
