import {setMaxListeners} from 'node:events';
import type {ServerResponse} from 'node:http';
import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {setTimeout as delay, setImmediate} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {headers, type Problem, problemMediaType} from '../../contract/index.js';
import {randomStream} from './clock.js';
import type {Effect, FaultPlan} from './faults.js';
import type {Sandbox} from './sandbox.js';

/** Minimum length of a garbage body in bytes: an empty body becomes garbage too. */
const leastGarbage = 32;

/** The body of a response before it is sent. */
type Payload = string | Buffer | Readable | undefined;

/**
 * Applies the faults to requests for operations of the interface: after routing, before the caller is
 * authenticated, and again before the response is sent.
 */
export function injectFaults(app: FastifyInstance, {faults, seed}: Sandbox): void {
  const random = randomStream(seed, 'garbage');
  const plans = new WeakMap<FastifyRequest, FaultPlan>();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  // A latency must not delay the shutdown of the service.
  app.addHook('preClose', async () => stop.abort());
  const pause = (milliseconds: number) =>
    delay(milliseconds, undefined, {signal: stop.signal, ref: false}).catch(() => {});
  app.addHook('onRequest', async (request, reply) => {
    const {operation} = request.routeOptions.config;
    if (operation === undefined) return;
    const plan = faults.plan(operation);
    const {latency, outcome} = plan;
    plans.set(request, plan);
    if (latency > 0) await pause(latency);
    if (outcome?.kind === 'status') return sendStatus(request, reply, outcome);
    if (outcome?.kind !== 'reset') return;
    reply.hijack();
    const {socket} = request.raw;
    // Node.js resets only connections without TLS.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  });
  app.addHook<Payload>('onSend', async (request, reply, payload) => {
    const {outcome} = plans.get(request) ?? {};
    if (outcome?.kind === 'drop-response') {
      request.raw.socket.destroy();
      // A hook that never ends keeps Fastify from sending a response.
      return new Promise<never>(() => {});
    }
    if (outcome === undefined || request.method === 'HEAD') return payload;
    if (outcome.kind !== 'garbage' && outcome.kind !== 'truncate') return payload;
    const body = payload instanceof Readable ? await buffer(payload) : Buffer.from(payload ?? '');
    if (outcome.kind === 'garbage') {
      const bytes = random(Math.max(body.length, leastGarbage));
      // The byte 0xff is invalid in UTF-8, so the body is never valid JSON.
      bytes[0] = 0xff;
      return bytes;
    }
    // Fastify keeps a Content-Length that differs from the payload's only for a stream.
    reply.header('content-length', body.length);
    return Readable.from(firstHalf(body, reply.raw));
  });
}

/** Sends half of a body, and closes the connection. */
async function* firstHalf(body: Buffer, {socket}: ServerResponse): AsyncGenerator<Buffer> {
  yield body.subarray(0, Math.floor(body.length / 2));
  await setImmediate();
  socket?.end(() => socket.destroy());
}

/** Responds with the status of the fault, without carrying out the request. */
function sendStatus(
  request: FastifyRequest,
  reply: FastifyReply,
  {status, retryAfter}: Extract<Effect, {readonly kind: 'status'}>,
): FastifyReply {
  reply.code(status);
  if (retryAfter !== undefined) reply.header(headers.retryAfter, String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status < 400) return reply.send();
  const problem: Problem = {
    type: 'urn:connectorctl:problem:sandbox_fault',
    title: 'The sandbox was asked to fail',
    status,
    detail: 'Nothing was carried out.',
    code: 'sandbox_fault',
    request_id: request.id,
  };
  return reply.type(problemMediaType).send(JSON.stringify(problem));
}
