import {ServerResponse, STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {FastifyInstance} from 'fastify';
import {headers} from '../../contract/index.js';
import {errorCode} from '../../node-errors.js';
import type {Context} from '../context.js';
import {type CutReason, cutEvent} from '../net/connection-guard.js';
import {ProblemError, problemDocument, problemHeaders, toProblem} from './problems.js';
import {defaultHeaders} from './response-headers.js';

/** How long a refused connection may go on sending before it is cut, in milliseconds. */
const lingerMilliseconds = 1000;

/** Answers what is on a connection and is no request; then the connection is closed. */
export type RefuseConnection = (error: Error, connection: Duplex) => void;

/**
 * Answers what is not HTTP, or too much or too slow of it, and logs and counts it. There is no request
 * to reply to, so the response goes to the connection, which then is closed; not at once, because a
 * client that still sends would have its connection reset before it has read why.
 */
export function refuseConnections(
  newRequestId: () => string,
  {log, metrics}: Pick<Context, 'log' | 'metrics'>,
): RefuseConnection {
  const refuse: RefuseConnection = (error, connection) => {
    if (!connection.writable) return;
    const response = currentResponse(connection);
    if (response?.req.complete === true) {
      response.once('close', () => refuse(error, connection));
      return;
    }
    // The request that the error is about was answered before its body came to its end.
    if (response?.headersSent === true) {
      connection.destroy();
      return;
    }
    const problem = toClientProblem(error);
    const requestId = newRequestId();
    metrics.problem(problem.code);
    log.info({request_id: requestId, ...describe(error, problem, connection)}, 'request');
    const {body, fields} = bareResponse(problem, requestId);
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`;
    const isHead = (response?.req.method ?? methodOf(error)) === 'HEAD';
    connection.end(`${head}${lines.join('')}\r\n${isHead ? '' : body}`);
    setTimeout(() => connection.destroy(), lingerMilliseconds).unref();
  };
  return refuse;
}

/**
 * Looks after connections that would otherwise be closed without a trace: those that ask for a proxy,
 * those on which no TLS handshake succeeds, and those that are cut because they take too much memory.
 */
export function watchConnections(
  {server}: FastifyInstance,
  refuse: RefuseConnection,
  {log, metrics}: Pick<Context, 'log' | 'metrics'>,
): void {
  server.on('connect', (_, connection) => {
    connection.on('error', () => connection.destroy());
    refuse(new ProblemError('request_invalid', {detail: 'This is not a proxy.'}), connection);
  });
  server.on('tlsClientError', (error: Error, connection: Duplex) => {
    const reason = errorCode(error);
    // Whoever only looks whether the port is open says nothing worth a line.
    if (reason === 'ECONNRESET') return;
    metrics.handshakeFailed();
    log.info({remote_address: addressOf(connection), reason}, 'no TLS could be agreed');
  });
  server.on(cutEvent, (connection: Duplex, reason: CutReason) => {
    metrics.connectionCut(reason);
    log.info({remote_address: addressOf(connection), reason}, 'connection cut');
  });
}

/** What is known of it. Nothing that was sent is repeated: it may be a secret, and act on a terminal. */
function describe(error: Error, {status, code}: ProblemError, connection: Duplex): object {
  return {
    remote_address: addressOf(connection),
    method: null,
    route: null,
    status,
    code,
    reason: errorCode(error),
  };
}

function addressOf(connection: Duplex): unknown {
  return 'remoteAddress' in connection ? connection.remoteAddress : undefined;
}

/**
 * The response that comes next on a connection: to an earlier request, whose responses come first
 * (RFC 9112 §9.3.2), or to the one that the error is about, which has not come to its end. Node keeps
 * it under this name, and nowhere else.
 */
function currentResponse(connection: Duplex): ServerResponse | undefined {
  const message = '_httpMessage' in connection ? connection._httpMessage : undefined;
  return message instanceof ServerResponse ? message : undefined;
}

/**
 * The method of a request whose headers cannot be parsed, if its request line came with the same bytes:
 * the last one before the place that the parser has reached.
 */
function methodOf(error: Error): string | undefined {
  const {rawPacket, bytesParsed}: {rawPacket?: unknown; bytesParsed?: unknown} = Object(error);
  if (!Buffer.isBuffer(rawPacket) || typeof bytesParsed !== 'number') return undefined;
  const text = rawPacket.toString('latin1', 0, bytesParsed);
  return [...text.matchAll(/^([A-Z]+) \S+ HTTP\/\d/gm)].at(-1)?.[1];
}

/** An error of Node's HTTP parser; what is not too much or too slow is malformed. */
function toClientProblem(error: Error): ProblemError {
  const problem = toProblem(error);
  if (problem.code !== 'internal') return problem;
  return new ProblemError('request_invalid', {detail: 'This is not HTTP/1.1.', cause: error});
}

function bareResponse(problem: ProblemError, requestId: string) {
  const body = JSON.stringify(problemDocument(problem, requestId));
  const fields = {
    ...problemHeaders(problem),
    ...defaultHeaders,
    [headers.requestId]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  return {body, fields};
}
