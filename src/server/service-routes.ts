import type {FastifyInstance} from 'fastify';
import {serviceRoutes} from '../contract/index.js';
import type {Context} from './context.js';
import {openApiDocument} from './openapi.js';
import {answersUnderPressure} from './overload.js';
import {ProblemError, toProblem} from './problems.js';

/** Registers the routes that are about the service itself. Anybody may call them. */
export function mountServiceRoutes(app: FastifyInstance, {store}: Context): void {
  const {health, ready, openapi} = serviceRoutes;
  // The process is healthy also when it has too much to do.
  app.get(health.path, {config: answersUnderPressure}, async () => ({status: 'ok'}));
  app.get(ready.path, async () => {
    await store.check().catch((error: unknown) => {
      throw notReady(error);
    });
    return {status: 'ok', store_version: store.version};
  });
  const document = openApiDocument();
  app.get(openapi.path, async () => document);
}

/** Whoever asks for readiness knows one status for "not now", whatever the reason is. */
function notReady(cause: unknown): ProblemError {
  const problem = toProblem(cause);
  if (problem.code !== 'store_full') return problem;
  return new ProblemError('store_unavailable', {detail: `${problem.message}.`, cause});
}
