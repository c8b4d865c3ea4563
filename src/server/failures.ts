import {finished} from 'node:stream';
import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers} from '../contract/index.js';
import {everyAnswer} from './answers.js';
import type {Context} from './context.js';
import {problemDocument, problemHeaders, toProblem} from './problems.js';

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
