import {STATUS_CODES} from 'node:http';
import type * as z from 'zod/mini';
import {
  type Access,
  commonProblems,
  headers,
  keyAccesses,
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
import {componentSchemas, exampleOf, schemaReference} from './schemas.js';

/** One operation: the parts of its route, and details that the route table lacks. */
interface OperationDescription
  extends Pick<Route, 'summary' | 'description'>,
    Partial<Pick<Route, 'access' | 'body' | 'params' | 'problems' | 'query'>> {
  readonly requestHeader?: object;
  readonly status?: number;
  readonly schema: JsonSchema;
  readonly mediaType?: string;
  readonly responseHeaders?: object;
}

/** The headings under which viewers list operations. */
const tags = {
  interface: {name: 'Connectors', description: 'The operations of the interface.'},
  service: {name: 'Service', description: 'Health, metrics and description of the service.'},
};

const security: Readonly<Record<Access, readonly object[]>> = {
  none: [],
  organization: [{apiKey: []}, {apiKeyHeader: []}],
  connector: [{apiKey: []}, {apiKeyHeader: []}, {connectorKey: []}],
};

/**
 * The interface as an OpenAPI 3.1 document, generated from the contract's schemas and tables. No plugin collects the
 * routes, because they come from the same tables.
 */
export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Connectors service',
      version: '1.0.0',
      description: 'Activation tokens, connectors and their heartbeats.',
      contact: {name: 'The connectorctl authors'},
      license: {name: 'MIT', identifier: 'MIT'},
    },
    // This URL is relative to the document, so it is also correct behind a path prefix.
    servers: [{url: '.'}],
    tags: [tags.interface, tags.service],
    paths: paths(),
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

const textHeader = (description: string) => ({description, schema: {type: 'string'}});

/** Headers that only some operations have; the route table lacks them. */
const headersOf: Partial<
  Record<Operation, Pick<OperationDescription, 'requestHeader' | 'responseHeaders'>>
> = {
  activate: {
    requestHeader: {
      name: headers.idempotencyKey,
      in: 'header',
      description: 'A request with the same key, token and name returns the same connector again.',
      schema: {type: 'string', pattern: `^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`},
    },
  },
  heartbeat: {
    requestHeader: {
      name: headers.process,
      in: 'header',
      description:
        'A random id of the sending process. If two ids alternate, the service sets `identity_shared_at`: two processes use one identity. `starts_last_hour` counts new ids.',
      schema: {type: 'string'},
    },
  },
  list: {
    responseHeaders: {
      [headers.link]: textHeader(
        'The next page, as `rel="next"` (RFC 8288); absent on the last page.',
      ),
    },
  },
};

function paths(): Record<string, object> {
  const ofInterface = operations.map((operation) => {
    const {success, ...route}: Route = routes[operation];
    const {status} = success;
    const schema = schemaReference(success.schema);
    const more = {...headersOf[operation], status, schema};
    const method = route.method.toLowerCase();
    return [route.path, {[method]: describe(operation, tags.interface, {...route, ...more})}];
  });
  const ofService = Object.entries(serviceRoutes).map(([name, route]) => {
    const isText = name === 'metrics';
    const mediaType = isText ? 'text/plain' : 'application/json';
    const other: JsonSchema = {type: isText ? 'string' : 'object'};
    const schema = 'schema' in route ? schemaReference(route.schema) : other;
    return [route.path, {get: describe(name, tags.service, {...route, schema, mediaType})}];
  });
  return Object.fromEntries([...ofInterface, ...ofService]);
}

function describe(
  operationId: string,
  tag: {readonly name: string},
  {summary, description, body, ...operation}: OperationDescription,
): object {
  const {status = 200, mediaType = 'application/json', schema, requestHeader} = operation;
  return {
    operationId,
    summary,
    description,
    tags: [tag.name],
    security: security[operation.access ?? 'none'],
    parameters: [
      ...parameters(operation.params, 'path'),
      ...parameters(operation.query, 'query'),
      ...(requestHeader === undefined ? [] : [requestHeader]),
    ],
    ...(body && {
      requestBody: {
        required: body.required,
        content: {'application/json': {schema: schemaReference(body.schema)}},
      },
    }),
    responses: {
      [status]: {
        description: STATUS_CODES[status],
        headers: {
          ...(operation.access !== 'none' && operation.access && keyHeaders),
          ...operation.responseHeaders,
        },
        content: {[mediaType]: {schema}},
      },
      ...problemResponses([...(operation.problems ?? []), ...commonProblems]),
    },
  };
}

/** The parameters that a schema describes. */
function parameters(schema: z.ZodMiniType | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  // Documents the type after parsing: `limit` is text in the URL, and an integer in the schema.
  const {properties = {}} = jsonSchema(schema, 'output');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: property,
  }));
}

/** Headers of the responses to an organization's API key. */
const keyHeaders = {
  [headers.keyAccess]: {
    description: 'What the API key allows; absent for the own key of a connector.',
    schema: {enum: keyAccesses},
  },
  [headers.keyCreated]: textHeader('When the API key was created; absent if it does not expire.'),
  [headers.keyExpires]: textHeader('When the API key expires; absent if it does not.'),
};

const retryAfter = {
  [headers.retryAfter]: {
    description: 'Seconds after which to retry.',
    schema: {type: 'integer'},
  },
};

/** One response for each status of the problems, with the possible codes. */
function problemResponses(codes: readonly ProblemCode[]): Record<number, object> {
  const statuses = new Set(codes.map((code) => problems[code].status));
  const responses = [...statuses].map((status) => {
    const own = codes.filter((code) => problems[code].status === status);
    const schema = {allOf: [schemaReference(Problem), {properties: {code: {enum: own}}}]};
    const response = {
      description: own.map((code) => problems[code].title).join('; '),
      ...((status === 429 || status === 503) && {headers: retryAfter}),
      content: {[problemMediaType]: {schema, example: exampleOf(own[0] ?? 'internal')}},
    };
    return [status, response];
  });
  return Object.fromEntries(responses);
}
