import {ServerResponse, STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {FastifyInstance} from 'fastify';
import {headers} from '../../contract/index.js';
import {errorCode} from '../../system/system-error.js';
import type {Context} from '../context.js';
import {ProblemError, problemDocument, problemHeaders, toProblem} from './problems.js';

/** Responds to an invalid request on a connection, then closes the connection. */
type RefuseConnection = (error: Error, connection: Duplex) => void;

/**
 * Responds to malformed, oversized or slow HTTP, and logs and counts it. Without a request object, the response goes
 * directly to the connection, unless it is the turn of another response.
 */
export function refuseConnections(
  newRequestId: () => string,
  {log, metrics, responseHeaders}: Pick<Context, 'log' | 'metrics' | 'responseHeaders'>,
): RefuseConnection {
  return (error, connection) => {
    if (!connection.writable || errorCode(error) === 'ECONNRESET') {
      connection.destroy();
      return;
    }
    const problem = toClientProblem(error);
    const requestId = newRequestId();
    metrics.problem(problem.code);
    // It repeats nothing that was sent, which may hold secrets or terminal sequences.
    const {status, code} = problem;
    const fields = {remote_address: addressOf(connection), method: null, route: null, status, code};
    log.info({request_id: requestId, ...fields, reason: errorCode(error)}, 'request');
    const response = currentResponse(connection);
    if (response?.req.complete === true) {
      // An earlier request comes first; Node parses no further one.
      response.once('close', () => connection.destroy());
      return;
    }
    if (response?.headersSent !== true) {
      const body = JSON.stringify(problemDocument(problem, requestId));
      const fieldsOfHead = {
        date: new Date().toUTCString(),
        ...problemHeaders(problem),
        ...responseHeaders(),
        [headers.requestId]: requestId,
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      };
      const lines = Object.entries(fieldsOfHead).map(([name, value]) => `${name}: ${value}\r\n`);
      connection.write(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`,
      );
    }
    connection.destroy();
  };
}

/** Logs failed TLS handshakes, and that connections are dropped because too many are open, at most once a minute. */
export function watchConnections({server}: FastifyInstance, {log, monotonic}: Context): void {
  server.on('tlsClientError', (error: Error, connection: Duplex) => {
    const reason = errorCode(error);
    // A port check is not worth a log line.
    if (reason === 'ECONNRESET') return;
    log.info({remote_address: addressOf(connection), reason}, 'TLS handshake failed');
  });
  let quietUntil = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (monotonic() < quietUntil) return;
    quietUntil = monotonic() + 60_000;
    const fields = {max_connections: server.maxConnections};
    log.warn(fields, 'connections are dropped, because too many are open');
  });
}

function addressOf(connection: Duplex): unknown {
  return 'remoteAddress' in connection ? connection.remoteAddress : undefined;
}

/** The next response on a connection. Node keeps it only under this name. */
function currentResponse(connection: Duplex): ServerResponse | undefined {
  const message = '_httpMessage' in connection ? connection._httpMessage : undefined;
  return message instanceof ServerResponse ? message : undefined;
}

/** An error of Node's HTTP parser; all but size and time limits mean malformed HTTP. */
function toClientProblem(error: Error): ProblemError {
  const problem = toProblem(error);
  if (problem.code !== 'internal') return problem;
  return new ProblemError('request_invalid', {detail: 'This is not HTTP/1.1.', cause: error});
}
