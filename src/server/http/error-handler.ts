import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers} from '../../contract/index.js';
import type {Context} from '../context.js';
import {problemDocument, problemHeaders, toProblem} from './problems.js';

/** Sends any error as a problem document. Details of unexpected errors go to the log only. */
export function sendProblem({
  log,
  metrics,
  responseHeaders,
}: Pick<Context, 'log' | 'metrics' | 'responseHeaders'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error);
    metrics.problem(problem.code);
    // A bound of an organization is no failure of the service.
    if (problem.status >= 500 && !problem.code.startsWith('too_many_'))
      log.error({request_id: request.id, err: error}, problem.code);
    reply.problemCode = problem.code;
    reply
      .code(problem.status)
      .headers(responseHeaders())
      .headers(problemHeaders(problem))
      .header(headers.requestId, request.id)
      .send(JSON.stringify(problemDocument(problem, request.id)));
  };
}
