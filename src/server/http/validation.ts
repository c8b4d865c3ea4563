import {isUtf8} from 'node:buffer';
import type {FastifyReply, FastifyRequest, FastifySchemaCompiler} from 'fastify';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import {type Route, routes, serviceRoutes} from '../../contract/index.js';
import {ProblemError} from './problems.js';

// Without a locale, every message of zod/mini is "Invalid input".
z.config(en());

const parts: Readonly<Record<string, string>> = {
  body: 'The body is not valid.',
  params: 'The path is not valid.',
  querystring: 'The query is not valid.',
};

/** Validates a part of a request against its schema; handlers get the parsed value. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodMiniType> =
  ({schema, httpPart = 'body', url = ''}) =>
  (data: unknown) => {
    const result = schema.safeParse(data);
    if (result.success) return {value: result.data};
    const errors = result.error.issues.map(({path, message}) => ({path: pointer(path), message}));
    // The caller must know that its single-use token remains valid.
    const assurance =
      url === routes.activate.path ? ' Nothing was activated, and the token was not used.' : '';
    const detail = `${parts[httpPart]}${assurance}`;
    return {error: new ProblemError('request_invalid', {detail, errors})};
  };

/** The schema of a body. Fastify passes null for a missing body, which counts as `{}` if the body is optional. */
export function bodySchema({schema, required}: NonNullable<Route['body']>): z.ZodMiniType {
  if (required) return schema;
  return z.pipe(
    z.transform((body): unknown => body ?? {}),
    schema,
  );
}

/** A path as a JSON Pointer (RFC 6901 §3). */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Parses a body as JSON regardless of its Content-Type, because the interface prescribes none. An empty
 * body is undefined. The schemas drop `__proto__` like every unknown field.
 *
 * @throws ProblemError `body_malformed` unless the bytes are JSON in UTF-8 (RFC 8259 §8.1).
 */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ProblemError('body_malformed', {detail: 'It is not UTF-8.'});
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new ProblemError('body_malformed', {cause});
  }
}

/** A path template as the router writes it. */
export function routerPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

const {health, ready, openapi} = serviceRoutes;

/** The public paths with their methods. The path of the metrics is not public, so it is absent. */
const known = [
  ...Object.values(routes),
  ...[health, ready, openapi].map(({path}) => ({path, method: 'GET'})),
].map(({path, method}) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
}));

/** Refuses a request without a route: an unknown path (404), or a method that the path does not allow (405). */
export function refuseRoute({url}: FastifyRequest, reply: FastifyReply): ProblemError {
  const [path = ''] = url.split('?');
  const allowed = known.filter(({pattern}) => pattern.test(path)).flatMap(({methods}) => methods);
  if (allowed.length === 0) return new ProblemError('route_unknown');
  reply.header('allow', allowed.join(', '));
  return new ProblemError('method_not_allowed', {
    detail: `This path allows ${allowed.join(' and ')}.`,
  });
}
