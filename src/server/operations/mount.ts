import type {FastifyInstance, FastifySchema} from 'fastify';
import {headers, type Operation, operations, type Route, routes} from '../../contract/index.js';
import type {ApiKeyRecord} from '../../domain/records.js';
import {timestamp} from '../../domain/timestamp.js';
import type {Context} from '../context.js';
import {bodySchema, routerPath} from '../http/validation.js';
import {responseSchema} from '../openapi/json-schema.js';
import {activate} from './activate.js';
import {createToken} from './create-token.js';
import {get} from './get.js';
import {authenticate, type Call, type Caller, type HandlerFactory} from './handler.js';
import {heartbeat} from './heartbeat.js';
import {list} from './list.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; undefined on routes without authentication, and before it. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** The operation of the interface; undefined for any other route. */
    operation?: Operation;
  }
}

const factories: {readonly [O in Operation]: HandlerFactory<O>} = {
  createToken,
  activate,
  list,
  get,
  heartbeat,
};

/** Registers the operations of the interface as its route table describes them. */
export function mountOperations(app: FastifyInstance, context: Context): void {
  app.decorateRequest('caller', undefined);
  for (const operation of operations) mount(app, context, operation);
}

function mount<O extends Operation>(app: FastifyInstance, context: Context, operation: O): void {
  const route: Route = routes[operation];
  const handle = factories[operation](context);
  app.route({
    method: route.method,
    url: routerPath(route.path),
    schema: fastifySchema(route),
    config: {operation},
    async onRequest(request, reply) {
      if (route.access === 'none') return;
      request.caller = await authenticate(request, operation, context);
      if (request.caller.kind === 'organization') reply.headers(keyHeaders(request.caller.key));
    },
    handler(request, reply) {
      reply.code(route.success.status);
      const {caller, params, query, body} = request;
      // Fastify types the parts of a request as unknown; this route's schemas have validated them.
      return handle({caller, params, query, body, request, reply} as Call<(typeof routes)[O]>);
    },
  });
}

/** Headers that describe the request's key, so that its user learns of the expiry in time. */
function keyHeaders({access, createdAt, expiresAt}: ApiKeyRecord): Record<string, string> {
  return {
    [headers.keyAccess]: access,
    ...(expiresAt !== null && {
      [headers.keyCreated]: timestamp(createdAt),
      [headers.keyExpires]: timestamp(expiresAt),
    }),
  };
}

function fastifySchema({params, query, body, success}: Route): FastifySchema {
  return {
    ...(params && {params}),
    ...(query && {querystring: query}),
    ...(body && {body: bodySchema(body)}),
    response: {[success.status]: responseSchema(success.schema)},
  };
}
