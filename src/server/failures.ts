import {type IncomingMessage, ServerResponse, STATUS_CODES} from 'node:http';
import type {Socket} from 'node:net';
import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers, routes, serviceRoutes} from '../contract/index.js';
import {everyAnswer} from './answers.js';
import type {Context} from './context.js';
import type {Metrics} from './metrics.js';
import {ProblemError, problemDocument, problemHeaders, toProblem} from './problems.js';

/** Answers any error as a problem document; what nobody foresaw is logged and stays in the log. */
export function sendProblem({log, metrics}: Pick<Context, 'log' | 'metrics'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error);
    metrics.problem(problem.code);
    if (problem.status >= 500) log.error({request_id: request.id, err: error}, problem.code);
    reply.problemCode = problem.code;
    // Fastify would close the connection, and a client that still sends would be cut off before it has
    // read why. So the rest is read away, within the request's time limit.
    if (problem.code === 'body_too_large') reply.removeHeader('connection');
    reply
      .code(problem.status)
      .headers(everyAnswer)
      .headers(problemHeaders(problem))
      .header(headers.requestId, request.id)
      .send(JSON.stringify(problemDocument(problem, request.id)));
  };
}

const templates = [
  ...Object.values(routes),
  ...Object.values(serviceRoutes).map(({path}) => ({path, method: 'GET'})),
].map(({path, method}) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}));

/** The path of a request, as it was written. */
export function pathOf({url}: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** The methods that the path of a request takes; none where there is no such path. */
export function allowedMethods(request: FastifyRequest): string[] {
  const path = pathOf(request);
  return templates.filter(({pattern}) => pattern.test(path)).flatMap(({methods}) => methods);
}

/** Tells a path that nobody has (404) from a method that a path does not take (405). */
export function refuseRoute(request: FastifyRequest, reply: FastifyReply): ProblemError {
  const allowed = allowedMethods(request);
  if (allowed.length === 0) return new ProblemError('route_unknown');
  reply.header('allow', allowed.join(', '));
  return new ProblemError('method_not_allowed', {
    detail: `This path takes ${allowed.join(' and ')}.`,
  });
}

/** Answers an `Expect` that is not `100-continue` (RFC 9110 §10.1.1). */
export function refuseExpectation(newRequestId: () => string, metrics: Metrics) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    const problem = new ProblemError('expectation_failed');
    metrics.problem(problem.code);
    const {body, fields} = bareAnswer(problem, newRequestId());
    response.writeHead(problem.status, fields).end(body);
  };
}

/** How long a refused connection may go on sending before it is cut, in milliseconds. */
const lingerMilliseconds = 1000;

/**
 * Answers what is not HTTP, or too much or too slow of it. There is no request to reply to, so the
 * answer goes to the connection, which then is closed; not at once, because a client that still
 * sends would have its connection reset before it has read why.
 */
export function answerClientError(newRequestId: () => string, metrics: Metrics) {
  const answer = (error: Error, socket: Socket): void => {
    if (!socket.writable) return;
    const before = answerUnderWay(socket);
    if (before !== undefined) {
      before.once('close', () => answer(error, socket));
      return;
    }
    const problem = toClientProblem(error);
    metrics.problem(problem.code);
    const {body, fields} = bareAnswer(problem, newRequestId());
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`;
    socket.end(`${head}${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  };
  return answer;
}

/**
 * What is being answered to an earlier request on a connection: answers come in the order of the
 * requests (RFC 9112 §9.3.2). Node keeps it under this name, and does not tell it otherwise. The
 * request that the error is about has not come to its end.
 */
function answerUnderWay(socket: Socket): ServerResponse | undefined {
  const message = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return message instanceof ServerResponse && message.req.complete ? message : undefined;
}

/** An error of Node's HTTP parser; what is not too much or too slow is malformed. */
function toClientProblem(error: Error): ProblemError {
  const problem = toProblem(error);
  if (problem.code !== 'internal') return problem;
  return new ProblemError('request_invalid', {detail: 'This is not HTTP/1.1.', cause: error});
}

function bareAnswer(problem: ProblemError, requestId: string) {
  const body = JSON.stringify(problemDocument(problem, requestId));
  const fields = {
    ...problemHeaders(problem),
    ...everyAnswer,
    [headers.requestId]: requestId,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  return {body, fields};
}
