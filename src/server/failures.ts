import {finished} from 'node:stream';
import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers, routes, serviceRoutes} from '../contract/index.js';
import {everyAnswer} from './answers.js';
import type {Context} from './context.js';
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
    whenReadable(request, reply, () => {
      reply
        .code(problem.status)
        .headers(everyAnswer)
        .headers(problemHeaders(problem))
        .header(headers.requestId, request.id)
        .send(JSON.stringify(problemDocument(problem, request.id)));
    });
  };
}

/**
 * Answers at once, unless the connection closes with the answer and the client still sends: what is
 * not read away would reset the connection, and the answer be lost with it (RFC 9112 §9.6).
 */
function whenReadable({raw}: FastifyRequest, reply: FastifyReply, answer: () => void): void {
  if (raw.complete || reply.raw.shouldKeepAlive) answer();
  else finished(raw.resume(), answer);
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
