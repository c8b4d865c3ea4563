import type {FastifyInstance} from 'fastify';
import {serviceRoutes} from '../../contract/index.js';
import type {Store} from '../../store/store.js';
import type {Context} from '../context.js';
import {answersUnderPressure} from '../http/overload.js';
import {ProblemError, toProblem} from '../http/problems.js';
import {openApiDocument} from './document.js';

/** Registers the routes that are about the service itself. Anybody may call them. */
export function mountServiceRoutes(app: FastifyInstance, {store}: Context): void {
  const {health, ready, openapi} = serviceRoutes;
  // The process is healthy also when it has too much to do.
  app.get(health.path, {config: answersUnderPressure}, async () => ({status: 'ok'}));
  const hasKey = createKeyCheck(store);
  app.get(ready.path, async () => {
    try {
      await store.check();
      if (!(await hasKey())) throw new ProblemError('no_api_key', noKey);
    } catch (error) {
      throw notReady(error);
    }
    return {status: 'ok', store_version: store.version};
  });
  const document = Buffer.from(JSON.stringify(openApiDocument()));
  app.get(openapi.path, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(document);
  });
}

const noKey = {detail: 'The operator must create an API key first.', retryAfter: 1};

/**
 * Checks whether a store has an API key. Without one no caller can be served: tokens, and so connectors,
 * are made with a key. Keys are revoked but never removed, so what was found once stays true; and where
 * all are revoked, the connectors still send heartbeats with keys of their own.
 */
function createKeyCheck(store: Store): () => Promise<boolean> {
  let found = false;
  return async () => {
    found ||= (await store.listApiKeys()).length > 0;
    return found;
  };
}

/** Whoever asks for readiness knows one status for "not now", whatever the reason is. */
function notReady(cause: unknown): ProblemError {
  const problem = toProblem(cause);
  if (problem.code !== 'store_full') return problem;
  return new ProblemError('store_unavailable', {detail: `${problem.message}.`, cause});
}
