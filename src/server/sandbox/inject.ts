import type {Socket} from 'node:net';
import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify';
import {headers, type Problem, problemMediaType} from '../../contract/index.js';
import {peerOf} from '../net/one-at-a-time.js';
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
    else delay(latency, proceed, waiting);
  });
}

/** Continues after a delay, or when the service stops. */
function delay(milliseconds: number, proceed: () => void, waiting: Set<() => void>): void {
  const finish = (): void => {
    clearTimeout(timer);
    waiting.delete(finish);
    proceed();
  };
  const timer = setTimeout(finish, milliseconds);
  waiting.add(finish);
}

/** Responds with the status of the fault, without carrying out the request. */
function sendStatus(
  request: FastifyRequest,
  reply: FastifyReply,
  {status, retryAfter}: Extract<Outcome, {readonly kind: 'status'}>,
): void {
  reply.code(status);
  if (retryAfter !== undefined) reply.header(headers.retryAfter, String(retryAfter));
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
