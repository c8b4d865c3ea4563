import * as z from 'zod/mini';
import {
  ActivateBody,
  ActivatedConnector,
  ActivationToken,
  Connector,
  ConnectorList,
  ConnectorName,
  ConnectorStatus,
  CreateTokenBody,
  Description,
  Health,
  Heartbeat,
  Problem,
  type ProblemCode,
  Readiness,
} from '../../contract/index.js';
import {ProblemError, problemDocument} from '../http/problems.js';
import {type JsonSchema, mergeNull} from './json-schema.js';

/** A named schema of the document, its description, and an example. */
type Named = readonly [schema: z.ZodMiniType, description: string, example: unknown];

const token = 'act_EXAMPLE';
const connector = {
  id: 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  name: 'web-1',
  organization: 'default',
  status: 'online',
  activated_at: '2026-01-01T12:00:00.000Z',
  last_heartbeat_at: '2026-01-01T12:34:56.000Z',
  identity_shared_at: null,
  starts_last_hour: 1,
};
const created = {...connector, status: 'never', last_heartbeat_at: null, api_key: 'cck_EXAMPLE'};
const {id, status, last_heartbeat_at} = connector;
const heartbeat = {id, status, last_heartbeat_at, next_heartbeat_seconds: 60};
/** An example of the problem document with a code. */
export const exampleOf = (code: ProblemCode): object =>
  problemDocument(new ProblemError(code), '6f1b3c1e-1d3a-4c39-9a43-0d2a5f7b9c11');
const textRule = 'Surrounding white space is removed. At least one character must be visible.';

const requests: Readonly<Record<string, Named>> = {
  ActivateBody: [ActivateBody, 'Token and name for an activation.', {token, name: 'web-1'}],
  CreateTokenBody: [CreateTokenBody, 'Properties of a token; optional.', {ttl_seconds: 900}],
  ConnectorName: [ConnectorName, `The name of a connector. ${textRule}`, 'web-1'],
  TokenDescription: [Description, `What a token is for. ${textRule}`, 'rack 12'],
};

const responses: Readonly<Record<string, Named>> = {
  ActivationToken: [ActivationToken, 'A token.', {token, expires_at: '2026-01-01T12:15:00.000Z'}],
  ActivatedConnector: [ActivatedConnector, 'The connector with its own API key.', created],
  Connector: [Connector, 'A connector.', connector],
  ConnectorStatus: [ConnectorStatus, 'Derived from the last heartbeat and the key.', 'online'],
  ConnectorList: [ConnectorList, 'The connectors of an organization, or one page.', [connector]],
  Heartbeat: [Heartbeat, 'The heartbeat that was recorded.', heartbeat],
  Health: [Health, 'The process runs.', {status: 'ok'}],
  Readiness: [Readiness, 'The store is usable.', {status: 'ok', store_version: 1}],
  Problem: [Problem, 'An error (RFC 9457).', exampleOf('connector_unknown')],
};

const names = new Map(
  Object.entries({...requests, ...responses}).map(([name, [schema]]) => [schema, name]),
);

/** The named schemas, as JSON Schemas that refer to each other. */
export function componentSchemas(): Record<string, JsonSchema> {
  return {...toComponents(requests, 'input'), ...toComponents(responses, 'output')};
}

export function schemaReference(schema: z.ZodMiniType): JsonSchema {
  const name = names.get(schema);
  if (name === undefined)
    throw new Error('A schema of a route has no name: add it to src/server/openapi/schemas.ts.');
  return {$ref: componentUri(name)};
}

function componentUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function toComponents(schemas: Readonly<Record<string, Named>>, io: 'input' | 'output') {
  const registry = z.registry<{id: string; description: string; examples: unknown[]}>();
  for (const [name, [schema, description, example]] of Object.entries(schemas)) {
    registry.add(schema, {id: name, description, examples: [example]});
  }
  const {schemas: components} = z.toJSONSchema(registry, {
    io,
    metadata: registry,
    uri: componentUri,
    override({jsonSchema: node}) {
      mergeNull(node);
      // Responses may gain fields; clients ignore unknown ones.
      delete node.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(components).map(([name, {$schema, $id, id: _, ...schema}]) => [name, schema]),
  );
}
