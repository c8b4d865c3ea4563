import {type SandboxRoute, sandboxRoutes} from '../../contract/sandbox.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {type DocumentExtension, describe} from '../openapi/document.js';
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
    const {body, response, ...route}: SandboxRoute = sandboxRoutes[name as SandboxOperation];
    const operation = describe(`sandbox${name[0]?.toUpperCase()}${name.slice(1)}`, tag, {
      ...route,
      body: body && {required: body.required, schema: jsonSchema(body.schema, 'input')},
      schema: jsonSchema(response, 'output'),
    });
    paths[path] = {...paths[path], [method.toLowerCase()]: operation};
  }
  return {tag, paths};
}
