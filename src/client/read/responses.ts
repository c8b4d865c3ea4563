import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {firstValue, isObject, readText} from '../fields.js';
import type {ResponseHead, ServiceResponse} from '../messages.js';
import {connectorNames, credentialNames, memberNames} from '../names/connectors.js';
import {readIsoTime} from '../times.js';
import type {
  ActivationReading,
  ActivationTokenReading,
  BlankResponse,
  HeartbeatReading,
} from '../types.js';
import {isJsonType, readBody, requireField, requireObject} from './body.js';
import {connectorField, connectorIn, intervalIn, readingOf} from './connector.js';

/**
 * Reads the response to create-token (interface §4.1).
 *
 * @throws AppError as `readBody`; of kind `protocol` that names the missing or invalid field
 */
export function readActivationToken(
  response: ServiceResponse,
  context: CallContext,
  isRepeated = false,
): ActivationTokenReading {
  const raw = requireObject(context, readBody(context, response));
  const token = requireField(context, raw, 'token', readText, 'a non-empty string');
  const timestamp = 'an ISO 8601 UTC timestamp';
  const expiresAt = requireField(context, raw, 'expires_at', readIsoTime, timestamp);
  return {token, expiresAt, serverTime: response.serverTime, otherMayExist: isRepeated, raw};
}

/** Recognizes a 200 without a body or `Location`; 201 with `Location`, 202 and 204 say what happened. */
function readBlank({status, headers, body}: ServiceResponse): BlankResponse | undefined {
  const isBlank = status === 200 && headers['location'] === undefined && !/\S/.test(`${body}`);
  return isBlank ? {server: headers['server']} : undefined;
}

/** Finds the credential, in the response itself and then in nested objects. */
function findCredential(
  object: JsonObject,
  sent: string,
  depth = 2,
  names = credentialNames.own,
): ActivationReading['credential'] {
  const own = firstValue(object, names, (secret, field) => {
    // The service may echo the activation token, which is not the connector's credential.
    const value = secret === sent ? undefined : readText(secret);
    return value === undefined ? undefined : {field, value};
  });
  if (own || depth === 0) return own;
  return firstValue(object, credentialNames.envelopes, (value, field) => {
    const added = /^credentials?$/.test(field) ? credentialNames.inCredential : [];
    const inner = [...credentialNames.own, ...added];
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
 * Reads an activation (interface §4.2: not shown, so any is valid). Without a connector in the body, `Location` names it.
 */
export function readActivation(
  body: Json | undefined,
  token: string,
  head?: ResponseHead,
): ActivationReading {
  const object = isObject(body) ? body : {};
  const created = head && idFromLocation(head);
  const connector = connectorIn(object) ?? (created === undefined ? undefined : {id: created});
  return withQuietRaw({
    connector: connector && withQuietRaw(readingOf(connector)),
    credential: findCredential(object, token),
    raw: body ?? {},
  });
}

/**
 * Reads the response to an activation, in any format: it may hold the only copy of a credential, so a text is kept.
 *
 * @throws ClientError as `readBody`; also for an empty body with the media type of JSON
 */
export function readActivated(
  context: CallContext,
  response: ServiceResponse,
  token: string,
): ActivationReading {
  const {status, headers} = response;
  const body = readBody(context, response, true);
  // RFC 9110 §15.3.3, §15.3.5, §15.3.6: these statuses need no body.
  const mayBeEmpty = [202, 204, 205].includes(status) || headers['location'] !== undefined;
  if (body === undefined && isJsonType(response) && !mayBeEmpty) {
    throw protocolError(context, 'it is empty', undefined, 'body-incomplete');
  }
  // Not a copy, which would lose `raw`: it is not enumerable.
  return Object.assign(readActivation(body, token, response), {blank: readBlank(response)});
}

/** Leaves `raw` out of logs, copies and JSON of a reading: it may hold a credential. */
function withQuietRaw<T extends {readonly raw: Json}>(reading: T): T {
  return Object.defineProperty(reading, 'raw', {enumerable: false});
}

const publicScalars = new Set([...Object.values(connectorNames).flat(), ...memberNames.seconds]);
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

/**
 * Creates a reader of the heartbeat responses of one service. After a response with fields, an empty 200 probably comes
 * from a proxy or gateway in between.
 *
 * @throws ClientError `body-incomplete` for such an empty response
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
  const body = readBody(context, response, true);
  const raw = isObject(body) ? body : {};
  const within = (object: JsonObject, names: readonly string[]) =>
    firstValue(object, names, (value) => (isObject(value) ? value : undefined)) ?? {};
  const outer = [raw, within(raw, memberNames.connectorEnvelopes)];
  const objects = [...outer, ...outer.map((object) => within(object, memberNames.heartbeat))];
  const find = <T>(read: (object: JsonObject) => T | undefined) =>
    objects.map(read).find((found) => found !== undefined);
  return {
    status: find(connectorField.status),
    lastHeartbeatAt: find(connectorField.last_heartbeat_at),
    nextHeartbeatSeconds: find(intervalIn),
    serverTime: response.serverTime,
    blank: readBlank(response),
    raw,
  };
}
