import {STATUS_CODES} from 'node:http';
import type * as z from 'zod/mini';
import {
  type Access,
  commonProblems,
  headers,
  limits,
  type Operation,
  operations,
  Problem,
  type ProblemCode,
  problemMediaType,
  problems,
  type Route,
  routes,
  serviceRoutes,
} from '../contract/index.js';
import {type JsonSchema, jsonSchema} from './json-schema.js';

const security: Readonly<Record<Access, readonly object[]>> = {
  none: [],
  organization: [{apiKey: []}, {apiKeyHeader: []}],
  connector: [{apiKey: []}, {apiKeyHeader: []}, {connectorKey: []}],
};

/**
 * The interface as an OpenAPI 3.1 document, made from the contract's own schemas and tables. No
 * plugin collects it from the routes: both come from the same table, and this is the shorter way.
 */
export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Connectors service',
      version: '1.0.0',
      description: 'Activation tokens, connectors and their heartbeats.',
    },
    // Relative to where the document was read, so that it is right behind a path prefix as well.
    servers: [{url: '.'}],
    paths: {...operationPaths(), ...servicePaths()},
    components: {
      schemas: {Problem: jsonSchema(Problem, 'output')},
      securitySchemes: {
        apiKey: {type: 'http', scheme: 'bearer', description: "An organization's API key."},
        apiKeyHeader: {type: 'apiKey', in: 'header', name: headers.apiKey},
        connectorKey: {type: 'http', scheme: 'bearer', description: "The connector's own API key."},
      },
    },
  };
}

function operationPaths(): Record<string, object> {
  const paths: Record<string, object> = {};
  for (const operation of operations) {
    const {path, method} = routes[operation];
    const described = describe(operation, routes[operation]);
    paths[path] = {...paths[path], [method.toLowerCase()]: described};
  }
  return paths;
}

/** Headers that an operation has of its own; the rest of it stands in the route table. */
const requestHeaders: Partial<Record<Operation, object>> = {
  activate: {
    name: headers.idempotencyKey,
    in: 'header',
    description: 'Sent again with the same token and name, it answers the same connector again.',
    schema: {type: 'string', pattern: `^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`},
  },
};
const answerHeaders: Partial<Record<Operation, object>> = {
  list: {
    [headers.link]: {
      description: 'Where the next page is, `rel="next"` (RFC 8288); absent on the last one.',
      schema: {type: 'string'},
    },
  },
};

function describe(operation: Operation, route: Route): object {
  const {[operation]: header} = requestHeaders;
  const {status, schema} = route.success;
  return {
    operationId: operation,
    summary: route.summary,
    security: security[route.access],
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...(header === undefined ? [] : [header]),
    ],
    ...(route.body && {requestBody: requestBody(route.body)}),
    responses: {
      [status]: answer(status, jsonSchema(schema, 'output'), answerHeaders[operation]),
      ...problemAnswers([...route.problems, ...commonProblems]),
    },
  };
}

function servicePaths(): Record<string, object> {
  const {health, ready, openapi, metrics} = serviceRoutes;
  const path = (
    summary: string,
    schema: JsonSchema,
    mediaType = 'application/json',
    own: readonly ProblemCode[] = [],
  ) => ({
    get: {
      summary,
      security: [],
      responses: {
        200: answer(200, schema, {}, mediaType),
        ...problemAnswers([...own, ...commonProblems]),
      },
    },
  });
  return {
    [health.path]: path(health.summary, jsonSchema(health.schema, 'output')),
    [ready.path]: path(
      ready.summary,
      jsonSchema(ready.schema, 'output'),
      undefined,
      ready.problems,
    ),
    [openapi.path]: path(openapi.summary, {type: 'object'}),
    [metrics.path]: path(metrics.summary, {type: 'string'}, 'text/plain'),
  };
}

function parameters(schema: z.ZodMiniType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  const {properties = {}} = jsonSchema(schema, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: property,
  }));
}

function requestBody({schema, required}: NonNullable<Route['body']>): object {
  return {required, content: {'application/json': {schema: jsonSchema(schema, 'input')}}};
}

const everyAnswerHeaders = {
  [headers.requestId]: {
    description: "Names the request in the service's log.",
    schema: {type: 'string'},
  },
};

function answer(
  status: number,
  schema: JsonSchema,
  extra: object = {},
  mediaType = 'application/json',
): object {
  return {
    description: STATUS_CODES[status],
    headers: {...everyAnswerHeaders, ...extra},
    content: {[mediaType]: {schema}},
  };
}

/** One answer for each status that the problems have, which names the codes that it may hold. */
function problemAnswers(codes: readonly ProblemCode[]): Record<string, object> {
  const statuses = new Set(codes.map((code) => problems[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      problemAnswer(
        status,
        codes.filter((code) => problems[code].status === status),
      ),
    ]),
  );
}

function problemAnswer(status: number, codes: readonly ProblemCode[]): object {
  const retryAfter = {
    [headers.retryAfter]: {
      description: 'Seconds after which to try again.',
      schema: {type: 'integer'},
    },
  };
  return {
    description: codes.map((code) => problems[code].title).join('; '),
    headers: {...everyAnswerHeaders, ...(status === 429 || status === 503 ? retryAfter : {})},
    content: {
      [problemMediaType]: {
        schema: {
          allOf: [{$ref: '#/components/schemas/Problem'}, {properties: {code: {enum: codes}}}],
        },
      },
    },
  };
}
