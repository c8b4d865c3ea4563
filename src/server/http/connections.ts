import {ServerResponse, STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {FastifyInstance} from 'fastify';
import {headers} from '../../contract/index.js';
import {errorCode} from '../../system/error-codes.js';
import type {Context} from '../context.js';
import {type CutReason, cutEvent} from '../net/connection-guard.js';
import {ProblemError, problemDocument, problemHeaders, toProblem} from './problems.js';

/** How long a refused client may keep sending before its connection is cut, in milliseconds. */
const lingerMilliseconds = 1000;

/** Responds to an invalid request on a connection, then closes the connection. */
type RefuseConnection = (error: Error, connection: Duplex) => void;

/**
 * Responds to invalid, oversized or slow HTTP, and logs and counts it. Without a request object, the
 * response goes directly to the connection. The connection closes after a delay: an immediate close
 * would reset it for a client that is still sending, before the client reads the response.
 */
export function refuseConnections(
  newRequestId: () => string,
  {log, metrics, responseHeaders}: Pick<Context, 'log' | 'metrics' | 'responseHeaders'>,
): RefuseConnection {
  const refuse: RefuseConnection = (error, connection) => {
    if (!connection.writable) return;
    const response = currentResponse(connection);
    if (response?.req.complete === true) {
      response.once('close', () => refuse(error, connection));
      return;
    }
    // The response was sent before the body of the request was complete.
    if (response?.headersSent === true) {
      connection.destroy();
      return;
    }
    const problem = toClientProblem(error);
    const requestId = newRequestId();
    metrics.problem(problem.code);
    log.info({request_id: requestId, ...describe(error, problem, connection)}, 'request');
    const {body, fields} = bareResponse(problem, requestId, responseHeaders());
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`;
    const isHead = (response?.req.method ?? methodOf(error)) === 'HEAD';
    connection.end(`${head}${lines.join('')}\r\n${isHead ? '' : body}`);
    setTimeout(() => connection.destroy(), lingerMilliseconds).unref();
  };
  return refuse;
}

/**
 * Logs and counts connections that would otherwise close without a trace: proxy requests (CONNECT),
 * failed TLS handshakes, and connections that are cut because they take too much memory.
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
    // A port check is not worth a log line.
    if (reason === 'ECONNRESET') return;
    metrics.handshakeFailed();
    log.info({remote_address: addressOf(connection), reason}, 'TLS handshake failed');
  });
  server.on(cutEvent, (connection: Duplex, reason: CutReason) => {
    metrics.connectionCut(reason);
    // A flood of silent connections must not become a flood of lines.
    const level = reason === 'silent' ? 'debug' : 'info';
    log[level]({remote_address: addressOf(connection), reason}, 'connection cut');
  });
}

/** Fields for the log. They repeat nothing that was sent: it may hold secrets or terminal sequences. */
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
 * The next response on a connection: to an earlier request, whose response comes first (RFC 9112
 * §9.3.2), or to the incomplete request that caused the error. Node keeps it only under this name.
 */
function currentResponse(connection: Duplex): ServerResponse | undefined {
  const message = '_httpMessage' in connection ? connection._httpMessage : undefined;
  return message instanceof ServerResponse ? message : undefined;
}

/**
 * The method of a request whose headers cannot be parsed, if its request line is in the same bytes: the
 * last request line before the position of the parser.
 */
function methodOf(error: Error): string | undefined {
  const {rawPacket, bytesParsed}: {rawPacket?: unknown; bytesParsed?: unknown} = Object(error);
  if (!Buffer.isBuffer(rawPacket) || typeof bytesParsed !== 'number') return undefined;
  const text = rawPacket.toString('latin1', 0, bytesParsed);
  return [...text.matchAll(/^([A-Z]+) \S+ HTTP\/\d/gm)].at(-1)?.[1];
}

/** An error of Node's HTTP parser; all but size and time limits mean malformed HTTP. */
function toClientProblem(error: Error): ProblemError {
  const problem = toProblem(error);
  if (problem.code !== 'internal') return problem;
  return new ProblemError('request_invalid', {detail: 'This is not HTTP/1.1.', cause: error});
}

function bareResponse(
  problem: ProblemError,
  requestId: string,
  headersOfAll: Readonly<Record<string, string>>,
) {
  const body = JSON.stringify(problemDocument(problem, requestId));
  const fields = {
    date: new Date().toUTCString(),
    ...problemHeaders(problem),
    ...headersOfAll,
    [headers.requestId]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return {body, fields};
}
