import type {ServerResponse} from 'node:http';
import type {Outcome} from './faults.js';
import type {RandomBytes} from './random.js';

/** Number of pieces of a slow body. */
const slowPieces = 20;

/** Minimum length of a garbage body: a shorter one could be valid by chance. */
const leastGarbage = 32;

/** The times that a `Date` header can have: those with a year of four digits (RFC 9110 §5.6.7). */
const dates = {first: Date.parse('0000-01-01T00:00:00Z'), last: Date.parse('9999-12-31T23:59:59Z')};

/** The effects on the response to a request that is carried out. */
type Interception = Exclude<Outcome, {readonly kind: 'status' | 'reset'}>;

/** Shifts the `Date` header of a response. */
export function shiftDate(response: ServerResponse, now: () => number, shift: number): void {
  const writeHead = response.writeHead;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    // Fastify passes its headers here, and they replace those set before.
    setHeaders(response, rest.at(-1));
    const shown = Math.min(Math.max(now() + shift, dates.first), dates.last);
    response.setHeader('date', new Date(shown).toUTCString());
    return Reflect.apply(writeHead, response, [status]);
  };
}

/** Buffers a response instead of sending it, and then applies an effect to it. */
export function intercept(
  response: ServerResponse,
  outcome: Interception,
  random: RandomBytes,
): void {
  const {writeHead, write, end} = response;
  const chunks: Buffer[] = [];
  const collect = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? asEncoding(encoding) : 'utf8'));
    } else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.writeHead = (status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    setHeaders(response, rest.at(-1));
    return response;
  };
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    collect(chunk, rest[0]);
    callLast(rest);
    return true;
  };
  response.end = (...args: unknown[]) => {
    collect(args[0], args[1]);
    Object.assign(response, {writeHead, write, end});
    deliver(response, Buffer.concat(chunks), outcome, random);
    return response;
  };
}

function deliver(
  response: ServerResponse,
  body: Buffer,
  outcome: Interception,
  random: RandomBytes,
): void {
  switch (outcome.kind) {
    case 'drop-response':
      response.socket?.destroy();
      return;
    case 'truncate':
      declareLength(response, body);
      response.flushHeaders();
      response.write(body.subarray(0, Math.floor(body.length / 2)), () =>
        response.socket?.destroy(),
      );
      return;
    case 'garbage': {
      const garbage = random(Math.max(body.length, leastGarbage));
      // Never valid in UTF-8, and so never valid JSON.
      garbage[0] = 0xff;
      declareLength(response, garbage);
      response.end(garbage);
      return;
    }
    case 'slow-body':
      declareLength(response, body);
      response.flushHeaders();
      trickle(response, body, outcome.milliseconds);
  }
}

function declareLength(response: ServerResponse, body: Buffer): void {
  response.removeHeader('transfer-encoding');
  if (response.req.method !== 'HEAD') response.setHeader('content-length', body.length);
}

/** Sends a body in equal pieces over the given time. */
function trickle(response: ServerResponse, body: Buffer, milliseconds: number): void {
  const size = Math.max(1, Math.ceil(body.length / slowPieces));
  const pieces = Math.max(1, Math.ceil(body.length / size));
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + size));
    sent += size;
    if (sent < body.length) return;
    clearInterval(timer);
    response.end();
  }, milliseconds / pieces);
  response.once('close', () => clearInterval(timer));
}

function setHeaders(response: ServerResponse, headers: unknown): void {
  if (typeof headers !== 'object' || headers === null) return;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function callLast(args: readonly unknown[]): void {
  const last = args.at(-1);
  if (typeof last === 'function') last();
}

function asEncoding(text: string): BufferEncoding {
  return Buffer.isEncoding(text) ? text : 'utf8';
}

/** Whether a plan changes how a response is sent. */
export function isIntercepted(outcome: Outcome | undefined): outcome is Interception {
  return outcome !== undefined && outcome.kind !== 'status' && outcome.kind !== 'reset';
}
