import type {Connector} from '../../contract/index.js';
import {limits} from '../../contract/limits.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError} from '../context.js';
import {readMessage} from '../errors/error-shapes.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import {connectorNames, memberNames} from '../names/connectors.js';
import {readTime} from '../times.js';
import type {ConnectorReading} from '../types.js';
import {fieldError, requireObject} from './body.js';

/** The names of fields with the time of the last heartbeat, or with an object that holds the time. */
export const heartbeatNames = [...connectorNames.last_heartbeat_at, ...memberNames.heartbeat];

/** The status that a service sent: a word, or an object with one. */
const sentStatus = reader(connectorNames.status, (value) =>
  isObject(value) ? firstValue(value, memberNames.statusWord, readText) : readText(value),
);

const evaluatedStatus = Symbol('status');

/** A connector whose status `withStatus` may have replaced. JSON and YAML still show what the service sent. */
type Evaluated = JsonObject & {readonly [evaluatedStatus]?: string};

/** Copies a connector, with this status in place of the one that the service sent. */
export const withStatus = (raw: JsonObject, status: string): Evaluated => ({
  ...raw,
  [evaluatedStatus]: status,
});

/** Whether `withStatus` has replaced the status that the service sent. */
export const isEvaluated = (raw: Evaluated): boolean => raw[evaluatedStatus] !== undefined;

/**
 * The reader of each field of a connector, in the order of columns. Undefined: the service did not send the field, or
 * its value cannot be read. Null: the event has not happened yet.
 */
export const connectorField = {
  id: (raw: JsonObject) => firstValue(raw, connectorNames.id, readLabel),
  name: reader(connectorNames.name, readText),
  status: (raw: Evaluated) => raw[evaluatedStatus] ?? sentStatus(raw),
  organization: reader(connectorNames.organization, readOrganization),
  activated_at: reader(connectorNames.activated_at, (value) => readTimeOrNever(value) ?? undefined),
  last_heartbeat_at: reader(heartbeatNames, readTimeOrNever),
  identity_shared_at: reader(connectorNames.identity_shared_at, readTimeOrNever),
  starts_last_hour: reader(connectorNames.starts_last_hour, (value) =>
    typeof value === 'number' ? value : undefined,
  ),
} satisfies Record<keyof Connector, (raw: JsonObject) => string | number | Date | null | undefined>;

export type ConnectorField = keyof typeof connectorField;

/** The fields of a connector in the order of columns. */
export const connectorFields = Object.keys(connectorField) as readonly ConnectorField[];

/**
 * Reads a value by the name of its field: one of `connectorFields` under any name that services use, or any
 * field that the service sent, with dots between the levels (`labels.rack`). A name may itself have dots.
 */
export function valueReader(path: string): (connector: JsonObject) => Json | Date | undefined {
  const field = connectorFields.find((candidate) => candidate === path);
  return (connector) => {
    const value = field && connectorField[field](connector);
    if (value !== undefined) return value;
    const own = memberAt(connector, path);
    return own ?? (field && sentFor(connector, field)?.value) ?? own;
  };
}

const filled = (value: Json, name: string) =>
  value === null || value === '' ? undefined : {field: name, value};

const sentReaders = new Map(
  connectorFields.map((field) => [field, reader(connectorNames[field], filled)]),
);

const sentInHeartbeat = reader(memberNames.heartbeat, (value, name) =>
  isObject(value)
    ? firstValue(value, memberNames.heartbeatTime, (time) => filled(time, name))
    : undefined,
);

/** The value that a service sent for a field, and its name there; undefined if missing, null or empty. */
export const sentFor = (connector: JsonObject, field: ConnectorField) =>
  sentReaders.get(field)?.(connector) ??
  (field === 'last_heartbeat_at' ? sentInHeartbeat(connector) : undefined);

/** The value that a service sent for a field, if it cannot be read: it must never count as missing. */
export const unreadable = (connector: JsonObject, field: ConnectorField) =>
  connectorField[field](connector) === undefined ? sentFor(connector, field) : undefined;

/** Whether a service sent a zero time for the last heartbeat, rather than null or nothing; see `readTimeOrNever`. */
export function hasZeroTime(connector: JsonObject): boolean {
  const sent = sentFor(connector, 'last_heartbeat_at');
  const time = sent && readTime(sent.value);
  return time !== undefined && time.getTime() <= 0;
}

function memberAt(value: Json | undefined, path: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return Reflect.get(value, path);
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const outer = path.slice(0, dot);
    if (!Object.hasOwn(value, outer)) continue;
    const found = memberAt(Reflect.get(value, outer), path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The connector in a response or an element of a list: the object itself, or at most two levels down in known fields. */
export function connectorIn(value: Json, depth = 2): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (connectorField.id(value) !== undefined) return value;
  if (depth === 0) return undefined;
  return firstValue(value, memberNames.connectorEnvelopes, (inner) =>
    connectorIn(inner, depth - 1),
  );
}

/**
 * The connector in a response (interface §4.4), or in an element of a list.
 *
 * @param path of the value in the response, for instance `[3]`
 * @throws AppError of kind `protocol` when it is not an object or has no id
 */
export function requireConnector(context: CallContext, response?: Json, path = ''): JsonObject {
  const object = requireObject(context, response, path);
  const connector = connectorIn(object);
  if (connector) return connector;
  const error = fieldError(path ? `${path}.id` : 'id', object['id'], 'a string or a number');
  throw protocolError(context, error, readMessage(object));
}

/** Reads the fields of a connector. @param raw must have an id, as every result of `connectorIn` does */
export function readingOf(raw: JsonObject): ConnectorReading {
  return {
    id: connectorField.id(raw) ?? '',
    name: connectorField.name(raw),
    organization: connectorField.organization(raw),
    status: connectorField.status(raw),
    activatedAt: connectorField.activated_at(raw),
    lastHeartbeatAt: connectorField.last_heartbeat_at(raw),
    identitySharedAt: connectorField.identity_shared_at(raw) ?? undefined,
    startsLastHour: connectorField.starts_last_hour(raw),
    raw,
  };
}

/** Creates a reader that takes the first value in the connector itself, else in its attributes. */
export function reader<T>(
  candidates: readonly string[],
  read: (value: Json, field: string) => T | undefined,
) {
  const inAttributes = (inner: Json) =>
    isObject(inner) ? firstValue(inner, candidates, read) : undefined;
  return (raw: JsonObject): T | undefined => {
    const value = firstValue(raw, candidates, read);
    return value === undefined ? firstValue(raw, memberNames.attributes, inAttributes) : value;
  };
}

function readOrganization(value: Json): string | undefined {
  if (!isObject(value)) return readLabel(value);
  return (
    firstValue(value, connectorNames.name, readText) ??
    firstValue(value, connectorNames.id, readLabel)
  );
}

/**
 * Null and a zero time mean that the event has not happened yet: the zero values of Go, .NET and Unix are older than any
 * connector. An object may hold the time.
 */
function readTimeOrNever(value: Json): Date | null | undefined {
  const time = value === null ? null : readTime(value);
  if (time !== undefined) return time && time.getTime() <= 0 ? null : time;
  const candidates = [...connectorNames.last_heartbeat_at, ...memberNames.heartbeatTime];
  return isObject(value) ? firstValue(value, candidates, readTimeOrNever) : undefined;
}

const inSeconds = reader(memberNames.seconds, readInterval);
const withoutUnit = reader(memberNames.interval, readUnitlessInterval);

/** The heartbeat interval in an object, in seconds. */
export const intervalIn = (raw: JsonObject): number | undefined =>
  inSeconds(raw) ?? withoutUnit(raw);

/** From this number on, an interval without a unit is in milliseconds: in seconds it would be hours. */
const leastMilliseconds = 10_000;

function readUnitlessInterval(value: Json): number | undefined {
  const isMilliseconds = typeof value === 'number' && value >= leastMilliseconds;
  return readInterval(isMilliseconds ? value / 1000 : value);
}

/** A number of seconds that can be a heartbeat interval; undefined for any other value. */
function readInterval(value: Json): number | undefined {
  const isPlausible =
    typeof value === 'number' && value > 0 && value <= limits.heartbeatInterval.max;
  return isPlausible ? value : undefined;
}
