import type {Json, JsonObject} from '../../domain/json.js';
import {type CallContext, protocolError, quote, traits} from '../context.js';
import {isHtml, readMessage, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {isObject} from '../fields.js';
import {longestBody, type ServiceResponse} from '../messages.js';
import {isProse} from '../redact.js';
import {tryParse} from './json.js';

/** Maximum length of a body's beginning in an error, in UTF-16 code units. */
const sampleLength = 60;

/**
 * Describes a body that is not JSON: its media type, and its beginning unless that may be a secret: a
 * service may send a bare token or key as text when it creates one.
 */
function describeBody(context: CallContext, response: ServiceResponse): string {
  const type = response.headers['content-type'];
  const text = response.body.toString('utf8', 0, 1024).trim();
  const named = `it is ${type === undefined ? 'without a media type' : `of type ${quote(context, type)}`}`;
  if (!isProse(text) || traits[context.operation].creates) return `${named} and not valid JSON`;
  const sample = quote(context, text.replace(/\s+/g, ' ')).slice(0, sampleLength);
  return `${named} and not JSON; it begins: ${sample}`;
}

export const isJsonType = ({headers}: ServiceResponse) =>
  /\bjson\b/i.test(headers['content-type'] ?? '');

/** The beginning of an object or an array in JSON, which some services send with another media type. */
const jsonStart = /^\s*(\{\s*["}]|\[\s*["[\]{]|[[{]\s*$)/;

/** Whether JSON ends before its brackets close, as when a proxy passes on a truncated response as complete. */
function isCut(text: string): boolean {
  const outside = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?/gs, '');
  return (outside.match(/[[{]/g)?.length ?? 0) > (outside.match(/[\]}]/g)?.length ?? 0);
}

/**
 * The JSON value of a response; undefined for an empty body.
 *
 * @param isAny whether to accept a text, unless its media type or its beginning is that of JSON. A web page is never
 *   accepted: another program sent it
 * @throws AppError of kind `protocol`: `response-too-long`; `body-incomplete` where perhaps only a part arrived, so that
 *   another attempt may succeed; else `response-invalid`
 */
function parseBody(context: CallContext, response: ServiceResponse, isAny: boolean) {
  if (response.isTooLong) {
    const violation = `it is longer than ${longestBody(context.operation)} MiB`;
    throw protocolError(context, violation, undefined, 'response-too-long');
  }
  const text = response.body.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') return undefined;
  const parsed = tryParse(text);
  const isPart = parsed === undefined && (isJsonType(response) || jsonStart.test(text));
  if (isPart) {
    const end = isCut(text) ? '; it ends in the middle' : '';
    // A proxy may pass on a truncated body as complete; only the JSON shows that.
    const violation = describeBody(context, response) + end;
    throw protocolError(context, violation, undefined, 'body-incomplete');
  }
  if (parsed?.isTooDeep === false) return parsed.value;
  if (isAny && !isHtml(text)) return text;
  throw protocolError(context, parsed ? 'it is nested too deep' : describeBody(context, response));
}

/**
 * The JSON value of a response; undefined for an empty body.
 *
 * @param isAny whether to accept a text too: the interface leaves the body open (interface §4.2, §4.5)
 * @throws AppError as `parseBody`; also when the body reports an error despite a 2xx status
 */
export function readBody(
  context: CallContext,
  response: ServiceResponse,
  isAny = false,
): Json | undefined {
  const body = parseBody(context, response, isAny);
  const reported = reportedError(body, context.operation);
  if (reported) throw serviceError(context, response, reported);
  return body;
}

/** Requires a value to be an object. @param path of the value in the response */
export function requireObject(context: CallContext, value?: Json, path = ''): JsonObject {
  if (isObject(value)) return value;
  if (value === undefined) throw protocolError(context, 'it is empty');
  const violation = path ? fieldError(path, value, 'an object') : 'it is not a JSON object';
  throw protocolError(context, violation);
}

/**
 * Reads a required field of a response.
 *
 * @param expected follows "not" in the message
 * @throws AppError of kind `protocol` that names the field, and quotes the message in the response
 */
export function requireField<T>(
  context: CallContext,
  object: JsonObject,
  field: string,
  read: (value: Json) => T | undefined,
  expected: string,
): T {
  const value = read(object[field] ?? null);
  if (value !== undefined) return value;
  throw protocolError(context, fieldError(field, object[field], expected), readMessage(object));
}

/** "`expires_at` is missing", "`expires_at` is a number, not an ISO 8601 UTC timestamp". */
export function fieldError(path: string, value: Json | undefined, expected: string): string {
  if (value === undefined) return `\`${path}\` is missing`;
  const object = Array.isArray(value) ? 'an array' : 'an object';
  const type = value === null ? 'null' : typeof value === 'object' ? object : `a ${typeof value}`;
  return `\`${path}\` is ${typeof value === 'string' ? '' : `${type}, `}not ${expected}`;
}
