import type {FastifyInstance} from 'fastify';
import {serviceRoutes} from '../../contract/index.js';
import type {Store} from '../../store/store.js';
import type {Context} from '../context.js';
import {servedUnderPressure} from '../http/overload.js';
import {ProblemError, toProblem} from '../http/problems.js';
import {openApiDocument} from './document.js';

/** Registers the public routes about the service itself. */
export function mountServiceRoutes(app: FastifyInstance, {store}: Context): void {
  const {health, ready, openapi} = serviceRoutes;
  // An overloaded process is still alive.
  app.get(health.path, {config: servedUnderPressure}, async () => ({status: 'ok'}));
  const hasKey = createKeyCheck(store);
  app.get(ready.path, async () => {
    let warnings: readonly string[];
    try {
      warnings = await store.check();
      if (!(await hasKey())) throw new ProblemError('no_api_key', noKey);
    } catch (error) {
      throw notReady(error);
    }
    const response = {status: 'ok', store_version: store.version};
    return warnings.length === 0 ? response : {...response, warnings};
  });
  const document = Buffer.from(JSON.stringify(openApiDocument()));
  app.get(openapi.path, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(document);
  });
}

const noKey = {detail: 'The operator must create an API key first.', retryAfter: 1};

/**
 * Checks whether a store has an API key. Without one no caller can be served, because tokens, and hence
 * connectors, are created with a key. Keys are revoked but never removed, so a positive result stays
 * true; if all are revoked, connectors still send heartbeats with their own keys.
 */
function createKeyCheck(store: Store): () => Promise<boolean> {
  let found = false;
  return async () => {
    found ||= (await store.listApiKeys()).length > 0;
    return found;
  };
}

/** Readiness probes expect 503, so a full store (507) becomes `store_unavailable`. */
function notReady(cause: unknown): ProblemError {
  const problem = toProblem(cause);
  if (problem.code !== 'store_full') return problem;
  return new ProblemError('store_unavailable', {detail: `${problem.message}.`, cause});
}
