import {commonProblems} from '../../contract/index.js';
import {type SandboxRoute, sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {type DocumentExtension, parameters, problemResponses} from '../openapi/document.js';
import {jsonSchema} from '../openapi/json-schema.js';

const tag = {
  name: 'Sandbox',
  description:
    'Control of the sandbox, for programs on this machine. One that was started with a control token needs that in `Authorization: Bearer`.',
};

/** The control routes for the OpenAPI document of a sandbox. */
export function sandboxDocument(): DocumentExtension {
  const paths: Record<string, object> = {};
  for (const [name, {method, path}] of Object.entries(sandboxEndpoints)) {
    const operation = describe(name, sandboxRoutes[name as SandboxOperation]);
    paths[path] = {...paths[path], [method.toLowerCase()]: operation};
  }
  return {tag, paths};
}

function describe(
  name: string,
  {summary, description, params, body, response}: SandboxRoute,
): object {
  return {
    operationId: `sandbox${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary,
    description,
    tags: [tag.name],
    security: [],
    ...(params && {parameters: parameters(params, 'path')}),
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
      ...problemResponses(commonProblems),
    },
  };
}
