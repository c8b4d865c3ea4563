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
  Readiness,
} from '../../contract/index.js';
import {type JsonSchema, mergeNull} from './json-schema.js';

/** Annotations of a schema in the document. */
interface Meta {
  readonly id: string;
  readonly description: string;
  readonly examples: readonly unknown[];
}
type Named = readonly [schema: z.ZodMiniType, meta: Meta];

const token = 'act_EXAMPLE';
const connector = {
  id: 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  name: 'web-1',
  organization: 'default',
  status: 'online',
  activated_at: '2026-01-01T12:00:00.000Z',
  last_heartbeat_at: '2026-01-01T12:34:56.000Z',
};
const textRule = 'Surrounding white space is removed. At least one character must be visible.';

const requests: readonly Named[] = [
  named(ActivateBody, 'ActivateBody', 'Token and name for an activation.', {token, name: 'web-1'}),
  named(CreateTokenBody, 'CreateTokenBody', 'Properties of an activation token; optional.', {
    ttl_seconds: 900,
    description: 'rack 12',
  }),
  named(ConnectorName, 'ConnectorName', `The name of a connector. ${textRule}`, 'web-1'),
  named(Description, 'TokenDescription', `What a token is for. ${textRule}`, 'rack 12'),
];

const responses: readonly Named[] = [
  named(ActivationToken, 'ActivationToken', 'A new activation token.', {
    token,
    expires_at: '2026-01-01T12:15:00.000Z',
  }),
  named(ActivatedConnector, 'ActivatedConnector', 'A new connector with its own API key.', {
    ...connector,
    status: 'never',
    last_heartbeat_at: null,
    api_key: 'cck_EXAMPLE',
  }),
  named(Connector, 'Connector', 'A connector.', connector),
  named(
    ConnectorStatus,
    'ConnectorStatus',
    'Derived from the age of the last heartbeat.',
    'online',
  ),
  named(ConnectorList, 'ConnectorList', 'The connectors of an organization, or one page of them.', [
    connector,
  ]),
  named(Heartbeat, 'Heartbeat', 'The heartbeat that was recorded.', {
    id: connector.id,
    status: 'online',
    last_heartbeat_at: connector.last_heartbeat_at,
    next_heartbeat_seconds: 60,
  }),
  named(Health, 'Health', 'The process runs.', {status: 'ok'}),
  named(Readiness, 'Readiness', 'The store is usable.', {status: 'ok', store_version: 1}),
  named(Problem, 'Problem', 'An error (RFC 9457).', {
    type: 'urn:connectorctl:problem:connector_unknown',
    title: 'No such connector',
    status: 404,
    code: 'connector_unknown',
    request_id: '6f1b3c1e-1d3a-4c39-9a43-0d2a5f7b9c11',
  }),
];

const names = new Map([...requests, ...responses].map(([schema, {id}]) => [schema, id]));

function named(schema: z.ZodMiniType, id: string, description: string, example: unknown): Named {
  return [schema, {id, description, examples: [example]}];
}

/** The named schemas, as JSON Schemas that refer to each other. */
export function componentSchemas(): Record<string, JsonSchema> {
  return {...toComponents(requests, 'input'), ...toComponents(responses, 'output')};
}

/** A reference to a named schema. */
export function schemaReference(schema: z.ZodMiniType): JsonSchema {
  const name = names.get(schema);
  if (name === undefined)
    throw new Error('A schema of a route has no name: add it to src/server/openapi/schemas.ts.');
  return {$ref: componentUri(name)};
}

function componentUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function toComponents(schemas: readonly Named[], io: 'input' | 'output') {
  const registry = z.registry<Meta>();
  for (const [schema, meta] of schemas) registry.add(schema, meta);
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
    Object.entries(components).map(([name, {$schema, $id, id, ...schema}]) => [name, schema]),
  );
}
