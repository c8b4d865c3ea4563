import type {Socket} from 'node:net';
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {headers, type Problem, problemMediaType} from '../../contract/index.js';
import {awaitsContinue} from '../http/request-rules.js';
import {peerOf} from '../net/connection-guard.js';
import type {Faults, Outcome} from './faults.js';
import {intercept, isIntercepted, shiftDate} from './interception.js';
import {type Journal, operationOf} from './journal.js';
import {type RandomBytes, randomStream} from './random.js';

/** What is needed to inject faults. */
interface Injection {
  readonly faults: Faults;
  readonly journal: Journal;
  readonly now: () => number;
  readonly seed: number;
}

/**
 * Applies the faults to requests to the operations of the interface: after routing, and before anything
 * else handles the request.
 */
export function injectFaults(app: FastifyInstance, injection: Injection): void {
  const {faults, journal, now} = injection;
  const random: RandomBytes = randomStream(injection.seed, 'garbage');
  const connections = trackConnections(app);
  const waiting = new Set<() => void>();
  // Latencies do not delay the shutdown of the service.
  app.addHook('preClose', async () => {
    for (const proceed of waiting) proceed();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const operation = operationOf(request);
    if (operation === undefined) return done();
    const {specs, latency, dateShift, outcome} = faults.plan(operation);
    journal.noteFaults(request, specs);
    if (dateShift !== 0) shiftDate(reply.raw, now, dateShift);
    if (isIntercepted(outcome)) intercept(reply.raw, outcome, random);
    const proceed = (): void => {
      if (outcome?.kind === 'reset') connections.socketOf(request).resetAndDestroy();
      else if (outcome?.kind === 'status') sendStatus(request, reply, outcome);
      else done();
    };
    if (latency === 0) proceed();
    else delay(reply, latency, proceed, waiting);
  });
}

/** Continues after a delay, or when the service stops; never if the client has disconnected. */
function delay(
  {raw}: FastifyReply,
  milliseconds: number,
  proceed: () => void,
  waiting: Set<() => void>,
): void {
  const forget = (): void => {
    clearTimeout(timer);
    raw.off('close', forget);
    waiting.delete(finish);
  };
  const finish = (): void => {
    forget();
    proceed();
  };
  const timer = setTimeout(finish, milliseconds);
  waiting.add(finish);
  raw.once('close', forget);
}

/** Responds with the status of the fault, without carrying out the request. */
function sendStatus(
  request: FastifyRequest,
  reply: FastifyReply,
  {status, retryAfter}: Extract<Outcome, {readonly kind: 'status'}>,
): void {
  reply.code(status);
  if (retryAfter !== undefined) reply.header(headers.retryAfter, String(retryAfter));
  // The client may or may not send the body, so the start of a next request would be unknown.
  if (awaitsContinue(request.raw)) reply.header('connection', 'close');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status < 400) {
    reply.send();
    return;
  }
  const problem: Problem = {
    type: 'urn:connectorctl:problem:sandbox_fault',
    title: 'The sandbox was asked to fail',
    status,
    detail: 'Nothing was carried out.',
    code: 'sandbox_fault',
    request_id: request.id,
  };
  reply.type(problemMediaType).send(JSON.stringify(problem));
}

/** Finds the TCP socket of each connection, also with TLS: only TCP sockets can be reset. */
function trackConnections({server}: FastifyInstance) {
  const sockets = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    sockets.set(peer, socket);
    socket.once('close', () => sockets.delete(peer));
  });
  return {
    socketOf: ({raw}: FastifyRequest): Socket => sockets.get(peerOf(raw.socket)) ?? raw.socket,
  };
}
