import type {Json, JsonObject} from '../../domain/json.js';
import {isObject, names} from '../fields.js';

const scalars = new Set<string>([
  ...names.id,
  ...names.name,
  ...names.organization,
  ...names.status,
  ...names.activatedAt,
  ...names.lastHeartbeat,
  ...names.heartbeatSeconds,
]);
const envelopes = new Set<string>([...names.connectorEnvelopes, ...names.organization]);

/**
 * The fields of a response to an activation that describe the connector. It keeps only known fields,
 * because a credential can have any name.
 */
export function publicFields(response: Json): JsonObject {
  if (!isObject(response)) return {};
  const kept = Object.entries(response).flatMap(([name, value]): [string, Json][] => {
    if (isObject(value)) return envelopes.has(name) ? [[name, publicFields(value)]] : [];
    return scalars.has(name) && !Array.isArray(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}

/** Whether a response certainly holds no credential, under any field name. */
export function isPublic(response: Json): boolean {
  return textsIn(response) === textsIn(publicFields(response));
}

/** Counts the texts and numbers in a value. Neither null nor a boolean can be a credential. */
function textsIn(value: Json): number {
  if (value === null || typeof value === 'boolean') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + textsIn(inner), 0);
}
