import {Problem, problemMediaType} from '../../contract/index.js';
import {type SandboxRoute, sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {jsonSchema} from '../openapi/json-schema.js';
import {schemaReference} from '../openapi/schemas.js';

/** The control routes for the OpenAPI document of a sandbox. */
export function sandboxPaths(): Record<string, object> {
  const paths: Record<string, object> = {};
  for (const [name, {method, path}] of Object.entries(sandboxEndpoints)) {
    const operation = describe(name, sandboxRoutes[name as SandboxOperation]);
    paths[path] = {...paths[path], [method.toLowerCase()]: operation};
  }
  return paths;
}

function describe(name: string, {summary, body, response}: SandboxRoute): object {
  return {
    operationId: `sandbox${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary,
    security: [],
    ...(body && {
      requestBody: {
        required: body.required,
        content: {'application/json': {schema: jsonSchema(body.schema, 'input')}},
      },
    }),
    responses: {
      200: {
        description: 'OK',
        content: {'application/json': {schema: jsonSchema(response, 'output')}},
      },
      default: {
        description: 'The request was refused.',
        content: {[problemMediaType]: {schema: schemaReference(Problem)}},
      },
    },
  };
}
