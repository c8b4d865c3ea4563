import {isUtf8} from 'node:buffer';
import type {FastifySchemaCompiler} from 'fastify';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import {type Route, routes} from '../../contract/index.js';
import {ProblemError} from './problems.js';

// Without a locale, zod/mini has no error messages.
z.config(en());

const parts: Readonly<Record<string, string>> = {
  body: 'The body is not valid.',
  params: 'The path is not valid.',
  querystring: 'The query is not valid.',
};

/** Validates a part of a request against its schema in the contract; handlers get the parsed value. */
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
