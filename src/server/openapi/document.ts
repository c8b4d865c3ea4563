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
} from '../../contract/index.js';
import {type JsonSchema, jsonSchema} from './json-schema.js';
import {componentSchemas, schemaReference} from './schemas.js';

const security: Readonly<Record<Access, readonly object[]>> = {
  none: [],
  organization: [{apiKey: []}, {apiKeyHeader: []}],
  connector: [{apiKey: []}, {apiKeyHeader: []}, {connectorKey: []}],
};

/** A heading under which viewers list operations. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Paths that a sandbox adds to the document. */
export interface DocumentExtension {
  readonly tag: Tag;
  readonly paths: Readonly<Record<string, object>>;
}

const tags = {
  interface: {name: 'Connectors', description: 'The operations of the interface.'},
  service: {name: 'Service', description: 'Health, metrics and description of the service.'},
} as const satisfies Record<string, Tag>;

/**
 * The interface as an OpenAPI 3.1 document, generated from the contract's schemas and tables. The routes
 * come from the same tables, so a plugin that collects them would add nothing.
 */
export function openApiDocument(extension?: DocumentExtension): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Connectors service',
      version: '1.0.0',
      description: 'Activation tokens, connectors and their heartbeats.',
      contact: {name: 'The connectorctl authors'},
      license: {name: 'MIT', identifier: 'MIT'},
    },
    // Relative to the URL of the document, so it is correct behind a path prefix too.
    servers: [{url: '.'}],
    tags: [tags.interface, tags.service, ...(extension === undefined ? [] : [extension.tag])],
    paths: {...operationPaths(), ...servicePaths(), ...extension?.paths},
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiKey: {type: 'http', scheme: 'bearer', description: "An organization's API key."},
        apiKeyHeader: {type: 'apiKey', in: 'header', name: headers.apiKey},
        connectorKey: {type: 'http', scheme: 'bearer', description: "The connector's own API key."},
      },
    },
  };
}

interface ResponseObject {
  readonly description: string | undefined;
  readonly headers: object;
  readonly content?: object;
}

function operationPaths(): Record<string, object> {
  const paths: Record<string, object> = {};
  for (const operation of operations) {
    const route: Route = routes[operation];
    const {path, method} = route;
    paths[path] = {...paths[path], [method.toLowerCase()]: describe(operation, route)};
  }
  return paths;
}

/** Headers of single operations, which are not in the route table. */
const requestHeaders = {
  createToken: undefined,
  activate: {
    name: headers.idempotencyKey,
    in: 'header',
    description: 'A request with the same key, token and name returns the same connector again.',
    schema: {type: 'string', pattern: `^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`},
  },
  list: undefined,
  get: undefined,
  heartbeat: undefined,
} satisfies Record<Operation, object | undefined>;
const responseHeaders = {
  createToken: undefined,
  activate: undefined,
  list: {
    [headers.link]: {
      description: 'The next page, as `rel="next"` (RFC 8288); absent on the last page.',
      schema: {type: 'string'},
    },
  },
  get: undefined,
  heartbeat: undefined,
} satisfies Record<Operation, object | undefined>;

function describe(operation: Operation, route: Route): object {
  const {[operation]: header} = requestHeaders;
  const {status, schema} = route.success;
  return {
    operationId: operation,
    summary: route.summary,
    description: route.description,
    tags: [tags.interface.name],
    security: security[route.access],
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...(header === undefined ? [] : [header]),
    ],
    ...(route.body && {requestBody: requestBody(route.body)}),
    responses: {
      [status]: response(status, schemaReference(schema), responseHeaders[operation]),
      ...problemResponses([...route.problems, ...commonProblems]),
    },
  };
}

function servicePaths(): Record<string, object> {
  const {health, ready, openapi, metrics} = serviceRoutes;
  const path = (
    operationId: string,
    {summary, description}: {readonly summary: string; readonly description: string},
    schema: JsonSchema,
    {mediaType = 'application/json', problems = [] as readonly ProblemCode[]} = {},
  ) => {
    return {
      get: {
        operationId,
        summary,
        description,
        tags: [tags.service.name],
        security: [],
        responses: {
          200: response(200, schema, {}, mediaType),
          ...problemResponses([...problems, ...commonProblems]),
        },
      },
    };
  };
  return {
    [health.path]: path('health', health, schemaReference(health.schema)),
    [ready.path]: path('ready', ready, schemaReference(ready.schema), ready),
    [openapi.path]: path('openapi', openapi, {type: 'object'}),
    [metrics.path]: path('metrics', metrics, {type: 'string'}, {mediaType: 'text/plain'}),
  };
}

/** The parameters that a schema describes. */
export function parameters(schema: z.ZodMiniType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  // The parsed type of a parameter: `limit` is text in the URL, but an integer.
  const {properties = {}} = jsonSchema(schema, 'output');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: property,
  }));
}

function requestBody({schema, required}: NonNullable<Route['body']>): object {
  return {required, content: {'application/json': {schema: schemaReference(schema)}}};
}

const commonResponseHeaders = {
  [headers.requestId]: {
    description: "Identifies the request in the service's log.",
    schema: {type: 'string'},
  },
};

function response(
  status: number,
  schema: JsonSchema,
  extra: object = {},
  mediaType = 'application/json',
): ResponseObject {
  return {
    description: STATUS_CODES[status],
    headers: {...commonResponseHeaders, ...extra},
    content: {[mediaType]: {schema}},
  };
}

const textHeader = (description: string) => ({description, schema: {type: 'string'}});

/** Headers of problem responses by status. */
const retryAfter = {
  [headers.retryAfter]: {
    description: 'Seconds after which to retry.',
    schema: {type: 'integer'},
  },
};
const problemHeaders: Readonly<Record<number, object>> = {
  401: {'www-authenticate': textHeader('How to authenticate: `Bearer`.')},
  405: {allow: textHeader('The methods that the path allows.')},
  429: retryAfter,
  503: retryAfter,
};

/** One response for each status of the problems, with the codes that it may have. */
export function problemResponses(codes: readonly ProblemCode[]): Record<string, ResponseObject> {
  const statuses = new Set(codes.map((code) => problems[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      problemResponse(
        status,
        codes.filter((code) => problems[code].status === status),
      ),
    ]),
  );
}

function problemResponse(status: number, codes: readonly ProblemCode[]): ResponseObject {
  return {
    description: codes.map((code) => problems[code].title).join('; '),
    headers: {...commonResponseHeaders, ...problemHeaders[status]},
    content: {
      [problemMediaType]: {
        schema: {
          allOf: [schemaReference(Problem), {properties: {code: {enum: codes}}}],
        },
      },
    },
  };
}
