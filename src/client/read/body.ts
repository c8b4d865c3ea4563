import type {Operation} from '../../contract/index.js';
import type {Json} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {isHtml, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {isTooDeep} from '../fields.js';
import {ClientError, longestBody, type ServiceResponse} from '../messages.js';
import {isProse} from '../redact.js';
import {parseJsonOrUndefined} from './json.js';

/** Maximum length of the sample of an invalid body: bytes to read, characters to show. */
const longestSample = 1024;
const sampleLength = 60;

/** Operations whose responses hold a secret. */
const secretive: ReadonlySet<Operation> = new Set(['createToken', 'activate']);

/**
 * Describes a body that is not JSON: its media type, and its beginning unless that may be a secret: a
 * service may send a bare token as text.
 */
function describeBody(context: CallContext, response: ServiceResponse): string {
  const type = response.headers['content-type'];
  const text = response.body.toString('utf8', 0, longestSample).trim();
  const named = type === undefined ? 'without a media type' : `of type ${quote(context, type)}`;
  if (text === '') return 'it is empty';
  if (!isProse(text) || secretive.has(context.operation)) {
    return `it is ${named} and not valid JSON`;
  }
  const sample = quote(context, text.replace(/\s+/g, ' ')).slice(0, sampleLength);
  return `it is ${named} and not JSON; it begins: ${sample}`;
}

/**
 * Whether a body is meant to be JSON: by its media type, or by its beginning, because some services send JSON
 * without a media type, or with one that fits everything.
 */
function isToBeJson({headers, body}: ServiceResponse): boolean {
  const type = headers['content-type'];
  const fitsAll = /^(text\/plain|application\/octet-stream)\b|^$/i.test(type ?? '');
  return isJsonType(type) || (fitsAll && /^\s*(\{|\[\s*(["[\]{]|$))/.test(body.toString()));
}

const isJsonType = (type: string | undefined) => /\bjson\b/i.test(type ?? '');

/** A part of the body is lost, which nothing else shows without a length: the request may be repeated. */
function incomplete(context: CallContext, violation: string): ClientError {
  return protocolError(context, violation, undefined, 'body-incomplete');
}

/**
 * The JSON value of a whole response; undefined when it is empty.
 *
 * @throws ClientError of kind `protocol` when only a part of the JSON arrived, or it is not JSON, too long, or nested too
 *   deep
 */
export function parseBody(context: CallContext, response: ServiceResponse): Json | undefined {
  if (response.isTooLong) {
    const violation = `it is longer than ${longestBody(context.operation)} MiB`;
    throw protocolError(context, violation, undefined, 'response-too-long');
  }
  const text = response.body.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') return undefined;
  const value = parseJsonOrUndefined(text);
  if (value === undefined) {
    const description = describeBody(context, response);
    if (!isToBeJson(response)) throw protocolError(context, description);
    const endsEarly = /^\s*[[{].*[,:{["]\s*$/s.test(text);
    throw incomplete(context, endsEarly ? `${description}; it ends in the middle` : description);
  }
  if (isTooDeep(value)) throw protocolError(context, 'it is nested too deep');
  return value;
}

/**
 * The JSON value of a response, as `parseBody`.
 *
 * @param otherwise instead of a body that is not JSON; by default that is an error
 * @throws AppError also when the body reports an error in spite of its status
 */
export function readBody(
  context: CallContext,
  response: ServiceResponse,
  otherwise?: (error: unknown) => Json | undefined,
): Json | undefined {
  let body: Json | undefined;
  try {
    body = parseBody(context, response);
  } catch (error) {
    if (otherwise === undefined) throw error;
    body = otherwise(error);
  }
  const reported = reportedError(body, context.operation);
  if (reported) throw serviceError(context, response, reported);
  return body;
}

/** Statuses whose responses have no body (RFC 9110 §15.3.5, §15.3.6). */
const bodiless = new Set([204, 205]);

/**
 * The response to an activation, in any format (interface §4.2): it may hold the only copy of a
 * credential, so everything but JSON is kept as text. A web page is an error: another program responded.
 *
 * @throws ClientError of kind `protocol` when only a part of the JSON arrived, or nothing, when it is a web page or too
 *   long; also when the body reports an error in spite of its status
 */
export function readWholeBody(context: CallContext, response: ServiceResponse): Json | undefined {
  const {status, headers, isTooLong} = response;
  const body = readBody(context, response, (error) => {
    const text = response.body.toString();
    const isCutOff = error instanceof ClientError && error.reason === 'body-incomplete';
    if (isCutOff || isTooLong || isHtml(headers['content-type'], text)) throw error;
    return text;
  });
  const mayBeEmpty = bodiless.has(status) || headers['location'] !== undefined;
  if (body === undefined && isJsonType(headers['content-type']) && !mayBeEmpty) {
    throw incomplete(context, 'it is empty');
  }
  return body;
}

/**
 * The JSON value of a response that the interface leaves open (interface §4.5). A text such as "OK"
 * counts as empty. A web page is an error, because another program responded; so is invalid JSON with
 * the media type of JSON.
 */
export function readFreeBody(context: CallContext, response: ServiceResponse): Json | undefined {
  const type = response.headers['content-type'];
  const claimsNothing = !isHtml(type, response.body.toString()) && !isJsonType(type);
  return readBody(context, response, (error) => {
    if (claimsNothing) return undefined;
    throw error;
  });
}
