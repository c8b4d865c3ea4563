import type {IncomingMessage, ServerResponse} from 'node:http';
import {finished, Readable} from 'node:stream';
import type {FastifyReply, FastifyRequest} from 'fastify';
import {headers} from '../../contract/index.js';
import type {Context} from '../context.js';
import {problemDocument, problemHeaders, toProblem} from './problems.js';
import {awaitsContinue} from './request-rules.js';

/** How long the sender of a body may pause before its connection is closed, in milliseconds. */
const lingerMilliseconds = 1000;

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
    // Fastify would close the connection, which resets it for a client that is still sending, before the
    // client reads the response. So the rest of the body is discarded, within the request's time limit.
    if (problem.code === 'body_too_large') reply.removeHeader('connection');
    const text = JSON.stringify(problemDocument(problem, request.id));
    reply
      .code(problem.status)
      .headers(responseHeaders())
      .headers(problemHeaders(problem))
      .header(headers.requestId, request.id);
    if (!closesWithUnreadBody(request.raw, reply.raw)) {
      reply.send(text);
      return;
    }
    reply
      .header('connection', 'close')
      .header('content-length', Buffer.byteLength(text))
      .send(Readable.from(thenReadBody(text, request.raw)));
  };
}

/** Whether the connection closes with the response, and the client may still send its body. */
function closesWithUnreadBody(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.complete) return false;
  // Without `100 Continue` a client may or may not send its body: where the next request begins is unknown.
  return !response.shouldKeepAlive || awaitsContinue(request);
}

/**
 * Writes a response at once, and ends it when the body has been read or its sender has paused. Closing
 * a connection with unread bytes resets it, and the response is lost (RFC 9112 §9.6).
 */
async function* thenReadBody(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text;
  await new Promise<void>((resolve) => {
    const pause = setTimeout(resolve, lingerMilliseconds);
    request.on('data', () => pause.refresh());
    finished(request, () => {
      clearTimeout(pause);
      resolve();
    });
    request.resume();
  });
}
