import type {Connector} from '../contract/index.js';
import type {Json, JsonObject} from '../domain/json.js';

/** The names in a text, each also in camel case: `last_seen` and then `lastSeen`. */
export function namesIn(text: string): readonly string[] {
  const camel = (name: string) =>
    name.replace(/\B_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set(text.split(' ').flatMap((name) => [name, camel(name)]))];
}

/** The names that services use for each field of a connector. The first match wins. */
export const connectorNames = {
  id: namesIn('id connector_id uuid'),
  name: namesIn('name'),
  status: namesIn('status state connection_status connector_status health liveness phase'),
  organization: namesIn('organization organization_id org'),
  activated_at: namesIn('activated_at'),
  last_heartbeat_at: namesIn(
    'last_heartbeat_at last_seen_at last_seen heartbeat_at last_heartbeat',
  ),
  identity_shared_at: namesIn('identity_shared_at'),
} satisfies Record<keyof Connector, readonly string[]>;

/** The names that services use for other fields. The first match wins. */
export const names = {
  /** Fields that may hold a connector. */
  connectorEnvelopes: namesIn('connector data result node'),
  /** The object that holds the fields beside the id (JSON:API §7.2). */
  attributes: namesIn('attributes'),
  /** The status itself, in a status that is an object. */
  statusWord: namesIn('state status name value phase code label text type'),
  /** An object about heartbeats. */
  heartbeat: namesIn('heartbeat'),
  /** The time of the last heartbeat in that object. */
  heartbeatTime: namesIn('at time timestamp received_at'),
  heartbeatSeconds: namesIn('next_heartbeat_seconds heartbeat_interval_seconds interval_seconds'),
  /** An interval without a unit in its name. */
  heartbeatInterval: namesIn('heartbeat_interval interval'),
  /** Fields that may hold the array of a list. */
  listEnvelopes: namesIn('connectors data items results value records'),
  /** Fields that may hold the list and something else, such as the edges of Relay's connections. */
  outerEnvelopes: namesIn('data result results response payload _embedded edges nodes'),
} as const;

/** Whether a JSON value is an object: neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of the first field among `candidates` that `read` understands. */
export function firstValue<T>(
  object: JsonObject,
  candidates: readonly string[],
  read: (value: Json, field: string) => T | undefined,
): T | undefined {
  for (const field of candidates) {
    // Safe: no candidate is the name of an inherited property.
    const raw = object[field];
    const value = raw === undefined ? undefined : read(raw, field);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** As `firstValue`, with the name of the field. A list of many connectors needs none. */
export function firstField<T>(
  object: JsonObject,
  candidates: readonly string[],
  read: (value: Json) => T | undefined,
): {readonly field: string; readonly value: T} | undefined {
  return firstValue(object, candidates, (raw, field) => {
    const value = read(raw);
    return value === undefined ? undefined : {field, value};
  });
}

/** A text that is not empty. */
export function readText(value: Json): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A text, or a number with its digits unchanged. */
export function readLabel(value: Json): string | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : readText(value);
}

/** A status: a word, or an object with one. */
export function readStatus(value: Json): string | undefined {
  return isObject(value) ? firstValue(value, names.statusWord, readText) : readText(value);
}
