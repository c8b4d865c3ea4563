import {limits} from '../../contract/limits.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {isHtml, readMessage} from '../errors/error-shapes.js';
import {firstField, firstValue, isObject, namesIn, readText} from '../fields.js';
import {ClientError, type ResponseHead, type ServiceResponse} from '../messages.js';
import {readIsoTime} from '../times.js';
import type {
  ActivationReading,
  ActivationTokenReading,
  BlankResponse,
  HeartbeatReading,
} from '../types.js';
import {fieldError, isJsonType, readBody, requireObject} from './body.js';
import {
  connectorIn,
  connectorNames,
  memberNames,
  readingOf,
  readStatus,
  readTimeOfHeartbeat,
  readTimeOrNever,
} from './connector.js';

/**
 * The response to an activation, in any format (interface §4.2): it may hold the only copy of a
 * credential, so everything but JSON is kept as text. A web page is an error: another program responded.
 *
 * @throws ClientError of kind `protocol` for a web page, JSON that is cut off or missing, and a body that is too long;
 *   also for an error that the body reports in spite of its status
 */
export function readWholeBody(context: CallContext, response: ServiceResponse): Json | undefined {
  const {status, headers, isTooLong} = response;
  const body = readBody(context, response, (error) => {
    const text = response.body.toString();
    const isCutOff = error instanceof ClientError && error.reason === 'body-incomplete';
    if (isCutOff || isTooLong || isHtml(text)) throw error;
    return text;
  });
  // RFC 9110 §15.3.3, §15.3.5, §15.3.6: these statuses say enough.
  const mayBeEmpty = [202, 204, 205].includes(status) || headers['location'] !== undefined;
  if (body === undefined && isJsonType(response) && !mayBeEmpty) {
    throw protocolError(context, 'it is empty', undefined, 'body-incomplete');
  }
  return body;
}

/**
 * The JSON value of a response that the interface leaves open (interface §4.5). A text such as "OK"
 * counts as empty. A web page is an error, because another program responded; so is invalid JSON with
 * the media type of JSON.
 */
function readFreeBody(context: CallContext, response: ServiceResponse): Json | undefined {
  return readBody(context, response, (error) => {
    if (isJsonType(response) || isHtml(response.body.toString())) throw error;
    return undefined;
  });
}

/**
 * Reads the response to create-token (interface §4.1).
 *
 * @throws AppError of kind `protocol` that names the missing or invalid field
 */
export function readActivationToken(
  response: ServiceResponse,
  context: CallContext,
  isRepeated = false,
): ActivationTokenReading {
  const raw = requireObject(context, readBody(context, response));
  const broken = (field: string, expected: string) =>
    protocolError(context, fieldError(field, raw[field], expected), readMessage(raw));
  const token = readText(raw['token'] ?? null);
  if (token === undefined) throw broken('token', 'a non-empty string');
  const expiresAt = readIsoTime(raw['expires_at'] ?? null);
  if (!expiresAt) throw broken('expires_at', 'an ISO 8601 UTC timestamp');
  const {serverTime} = response;
  return {token, expiresAt, serverTime, otherMayExist: isRepeated, raw};
}

/** A 200 that says nothing; 201 with `Location`, 202 and 204 say what happened. */
export function readBlank({status, headers, body}: ServiceResponse): BlankResponse | undefined {
  const isBlank = status === 200 && headers['location'] === undefined && !/\S/.test(`${body}`);
  return isBlank ? {server: headers['server']} : undefined;
}

/** A connector's own credential in the response to its activation. */
export const credentialNames = [
  ...namesIn('api_key connector_key connector_token connector_secret access_token auth_token'),
  ...namesIn('jwt client_secret secret key token credential credentials'),
];
/** Objects that may hold the credential. */
const credentialEnvelopes = namesIn(
  'credential credentials auth config connector data attributes result',
);

/** Finds the credential, in the response itself and then in nested objects. */
function findCredential(
  object: JsonObject,
  sent: string,
  depth = 2,
  names = credentialNames,
): ActivationReading['credential'] {
  // The service may echo the activation token, which is not the connector's credential.
  const readSecret = (value: Json) => (value === sent ? undefined : readText(value));
  const own = firstField(object, names, readSecret);
  if (own || depth === 0) return own;
  return firstValue(object, credentialEnvelopes, (value, field) => {
    const inner = /^credentials?$/.test(field) ? [...credentialNames, 'value'] : credentialNames;
    const found = isObject(value) ? findCredential(value, sent, depth - 1, inner) : undefined;
    return found && {field: `${field}.${found.field}`, value: found.value};
  });
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
 * Reads the response to an activation (interface §4.2: not shown, so any is valid). Where its body names no connector,
 * a `Location` does.
 */
export function readActivation(
  response: Json | undefined,
  token: string,
  head?: ResponseHead,
): ActivationReading {
  const object = isObject(response) ? response : {};
  const created = head && idFromLocation(head);
  const connector = connectorIn(object) ?? (created === undefined ? undefined : {id: created});
  return withQuietRaw({
    connector: connector && withQuietRaw(readingOf(connector)),
    credential: findCredential(object, token),
    raw: response ?? {},
  });
}

/** Leaves `raw` out of logs, copies and JSON of a reading: it may hold a credential. */
function withQuietRaw<T extends {readonly raw: Json}>(reading: T): T {
  return Object.defineProperty(reading, 'raw', {enumerable: false});
}

export const secondsNames = namesIn(
  'next_heartbeat_seconds heartbeat_interval_seconds interval_seconds',
);
/** An interval without a unit in its name. */
export const intervalNames = namesIn('heartbeat_interval interval');

const publicScalars = new Set([...Object.values(connectorNames).flat(), ...secondsNames]);
const publicObjects = new Set<string>([
  ...memberNames.connectorEnvelopes,
  ...connectorNames.organization,
]);

/** Whether a field of this name in the response to an activation describes the connector. */
export const isPublicName = (name: string): boolean => publicScalars.has(name);

/**
 * The fields of a response to an activation that describe the connector. It keeps only known fields,
 * because a credential can have any name.
 */
export function publicFields(response: Json): JsonObject {
  if (!isObject(response)) return {};
  const kept = Object.entries(response).flatMap(([name, value]): [string, Json][] => {
    if (isObject(value)) return publicObjects.has(name) ? [[name, publicFields(value)]] : [];
    return publicScalars.has(name) && !Array.isArray(value) ? [[name, value]] : [];
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

/**
 * Reads the responses to the heartbeats of one service. One that has answered with an object does not answer with
 * nothing: then something in between has.
 *
 * @throws ClientError `body-incomplete`
 */
export function heartbeatReader(): typeof readHeartbeat {
  let answers = false;
  return (response, context) => {
    const reading = readHeartbeat(response, context);
    if (answers && reading.blank) {
      const {server = 'something'} = reading.blank;
      const violation = `it is empty, unlike earlier ones; ${quote(context, server)} in between may have sent it`;
      throw protocolError(context, violation, undefined, 'body-incomplete');
    }
    answers ||= Object.keys(reading.raw).length > 0;
    return reading;
  };
}

/** Reads the response to a heartbeat (interface §4.5: not shown, so any is valid). */
export function readHeartbeat(response: ServiceResponse, context: CallContext): HeartbeatReading {
  const body = readFreeBody(context, response);
  const raw = isObject(body) ? body : {};
  const within = (object: JsonObject, candidates: readonly string[]) =>
    firstValue(object, candidates, (value) => (isObject(value) ? value : undefined)) ?? {};
  const nested = within(raw, memberNames.connectorEnvelopes);
  const inner = [nested, within(nested, memberNames.attributes)];
  const objects = [
    raw,
    ...inner,
    within(raw, memberNames.heartbeat),
    within(nested, memberNames.heartbeat),
  ];
  const find = <T>(candidates: readonly string[], read: (value: Json) => T | undefined) =>
    objects
      .map((object) => firstValue(object, candidates, read))
      .find((found) => found !== undefined);
  return {
    status: find(connectorNames.status, readStatus),
    lastHeartbeatAt:
      find(connectorNames.last_heartbeat_at, readTimeOrNever) ??
      find(memberNames.heartbeat, readTimeOfHeartbeat),
    nextHeartbeatSeconds:
      find(secondsNames, readInterval) ?? find(intervalNames, readUnitlessInterval),
    serverTime: response.serverTime,
    blank: readBlank(response),
    raw,
  };
}
