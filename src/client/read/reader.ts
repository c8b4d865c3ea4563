import type {ActivationToken} from '../../contract/index.js';
import {limits} from '../../contract/limits.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage} from '../errors/error-shapes.js';
import {
  firstField,
  firstValue,
  isObject,
  isUnset,
  names,
  readIsoTime,
  readLabel,
  readStatus,
  readText,
  readTime,
} from '../fields.js';
import type {ResponseHead} from '../messages.js';
import type {
  ActivationReading,
  ActivationTokenReading,
  ConnectorReading,
  HeartbeatReading,
} from '../types.js';

/** The fields of an activation token (interface §2) and their types. */
const promised = {
  token: 'a non-empty string',
  expires_at: 'an ISO 8601 UTC timestamp',
} as const satisfies Record<keyof ActivationToken, string>;

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** "`expires_at` is missing", "`expires_at` is a number, not an ISO 8601 UTC timestamp". */
function fieldError(path: string, value: Json | undefined, expected: string): string {
  if (value === undefined) return `\`${path}\` is missing`;
  return `\`${path}\` is ${typeof value === 'string' ? '' : `${typeName(value)}, `}not ${expected}`;
}

/** The value, which must be an object. */
function requireObject(context: CallContext, value: Json | undefined, path?: string): JsonObject {
  if (isObject(value)) return value;
  if (value === undefined) throw protocolError(context, 'it is empty');
  throw protocolError(
    context,
    path ? fieldError(path, value, 'an object') : 'it is not a JSON object',
  );
}

/**
 * Reads the response to create-token (interface §4.1).
 *
 * @throws AppError of kind `protocol` that names the missing or invalid field
 */
export function readActivationToken(
  context: CallContext,
  response: Json | undefined,
  serverTime: Date | undefined,
): ActivationTokenReading {
  const raw = requireObject(context, response);
  const {token, expires_at} = raw;
  const text = token === undefined ? undefined : readText(token);
  const broken = (field: keyof typeof promised) =>
    protocolError(context, fieldError(field, raw[field], promised[field]), readMessage(raw));
  if (text === undefined) throw broken('token');
  const expiresAt = expires_at === undefined ? undefined : readIsoTime(expires_at);
  if (!expiresAt) throw broken('expires_at');
  return {token: text, expiresAt, serverTime, raw};
}

/** The connector in a response, or in an element of a list: in a known field, at most two levels deep. */
export function connectorIn(value: Json, depth = 2): ConnectorReading | undefined {
  if (!isObject(value)) return undefined;
  const id = firstValue(value, names.id, readLabel);
  if (id !== undefined) return connectorOf(id, value);
  if (depth === 0) return undefined;
  return firstValue(value, names.connectorEnvelopes, (inner) => connectorIn(inner, depth - 1));
}

function connectorOf(id: string, raw: JsonObject): ConnectorReading {
  const heartbeat = valueIn(raw, names.lastHeartbeat, readLastHeartbeat);
  return {
    id,
    name: valueIn(raw, names.name, readText),
    organization: valueIn(raw, names.organization, readOrganization),
    status: valueIn(raw, names.status, readStatus),
    activatedAt: valueIn(raw, names.activatedAt, readSetTime),
    lastHeartbeatAt:
      heartbeat === undefined ? valueIn(raw, names.heartbeat, readHeartbeatObject) : heartbeat,
    identitySharedAt: valueIn(raw, names.identitySharedAt, readSetTime),
    raw,
  };
}

/** The first value in the connector itself, else in its attributes. */
function valueIn<T>(
  raw: JsonObject,
  candidates: readonly string[],
  read: (value: Json) => T | undefined,
): T | undefined {
  const value = firstValue(raw, candidates, read);
  if (value !== undefined) return value;
  const attributes = objectIn(raw, names.attributes);
  return attributes && firstValue(attributes, candidates, read);
}

function objectIn(object: JsonObject, candidates: readonly string[]): JsonObject | undefined {
  return firstValue(object, candidates, readObject);
}

function readObject(value: Json): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function readOrganization(value: Json): string | undefined {
  if (!isObject(value)) return readLabel(value);
  return firstValue(value, names.name, readText) ?? firstValue(value, names.id, readLabel);
}

/** Null and a zero time mean that there was none yet; an object may hold the time. */
function readLastHeartbeat(value: Json): Date | null | undefined {
  if (isObject(value)) return readHeartbeatObject(value);
  const time = value === null ? null : readTime(value);
  return time && isUnset(time) ? null : time;
}

function readHeartbeatObject(value: Json): Date | null | undefined {
  if (!isObject(value)) return undefined;
  const candidates = [...names.lastHeartbeat, ...names.heartbeatTime];
  return firstValue(value, candidates, (time) =>
    isObject(time) ? undefined : readLastHeartbeat(time),
  );
}

function readSetTime(value: Json): Date | undefined {
  const time = readTime(value);
  return time && !isUnset(time) ? time : undefined;
}

/**
 * Reads one connector (interface §4.4), or one of a list.
 *
 * @param path in the response, for instance `[3]`
 * @throws AppError of kind `protocol` when it is not an object or has no id
 */
export function readConnector(
  context: CallContext,
  response: Json | undefined,
  path = '',
): ConnectorReading {
  const object = requireObject(context, response, path);
  const connector = connectorIn(object);
  if (connector) return connector;
  const field = names.id[0];
  throw protocolError(
    context,
    fieldError(path ? `${path}.${field}` : field, object[field], 'a string or a number'),
    readMessage(object),
  );
}

/** Finds the credential, in the response itself and then in nested objects. */
function findCredential(
  object: JsonObject,
  sent: string,
  depth = 2,
): ActivationReading['credential'] {
  // The service may echo the activation token, which is not the connector's credential.
  const readSecret = (value: Json) => (value === sent ? undefined : readText(value));
  const own = firstField(object, names.credential, readSecret);
  if (own || depth === 0) return own;
  const nested = firstField(object, names.credentialEnvelopes, (value) =>
    isObject(value) ? findCredential(value, sent, depth - 1) : undefined,
  );
  return nested && {field: `${nested.field}.${nested.value.field}`, value: nested.value.value};
}

/** The id of a new connector: the last segment of the `Location` of a 201 (RFC 9110 §15.3.2). */
function idFromLocation({status, headers}: ResponseHead): string | undefined {
  const path = status === 201 ? headers['location']?.replace(/[?#].*$/s, '') : undefined;
  const segment = path && /\/connectors\/([^/]+)\/?$/.exec(path)?.[1];
  try {
    return segment ? decodeURIComponent(segment) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the response to an activation (interface §4.2: not shown, so any is valid). Where it has no body, a
 * `Location` names the connector.
 */
export function readActivation(
  response: Json | undefined,
  token: string,
  head?: ResponseHead,
): ActivationReading {
  const created = response === undefined && head ? idFromLocation(head) : undefined;
  if (created !== undefined) {
    return {connector: connectorOf(created, {}), credential: undefined, raw: {}};
  }
  const object = isObject(response) ? response : {};
  return {
    connector: connectorIn(object),
    credential: findCredential(object, token),
    raw: response ?? {},
  };
}

/** From this number on, an interval without a unit is in milliseconds: in seconds it would be hours. */
const leastMilliseconds = 10_000;

function readUnitlessInterval(value: Json): number | undefined {
  const isMilliseconds = typeof value === 'number' && value >= leastMilliseconds;
  return readInterval(isMilliseconds ? value / 1000 : value);
}

/** A number of seconds that can be a heartbeat interval; others are ignored. */
function readInterval(value: Json): number | undefined {
  const isPlausible =
    typeof value === 'number' && value > 0 && value <= limits.heartbeatInterval.max;
  return isPlausible ? value : undefined;
}

/** Reads the response to a heartbeat (interface §4.5: not shown, so any is valid). */
export function readHeartbeat(
  response: Json | undefined,
  serverTime: Date | undefined,
): HeartbeatReading {
  const raw = isObject(response) ? response : {};
  const nested = objectIn(raw, names.connectorEnvelopes) ?? {};
  const inner = [nested, objectIn(nested, names.attributes)];
  const outer = [raw, ...inner, objectIn(raw, names.heartbeat), objectIn(nested, names.heartbeat)];
  const find = <T>(candidates: readonly string[], read: (value: Json) => T | undefined) =>
    outer
      .map((object) => object && firstValue(object, candidates, read))
      .find((found) => found !== undefined);
  return {
    status: find(names.status, readStatus),
    lastHeartbeatAt:
      find(names.lastHeartbeat, readLastHeartbeat) ?? find(names.heartbeat, readHeartbeatObject),
    nextHeartbeatSeconds:
      find(names.heartbeatSeconds, readInterval) ??
      find(names.heartbeatInterval, readUnitlessInterval),
    serverTime,
    raw,
  };
}
