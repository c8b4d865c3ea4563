import type {Json} from '../../domain/json.js';
import {type CallContext, protocolError, quote, traits} from '../context.js';
import {isHtml, reportedError} from '../errors/error-shapes.js';
import {serviceError} from '../errors/service.js';
import {isTooDeep} from '../fields.js';
import {ClientError, longestBody, type ServiceResponse} from '../messages.js';
import {isProse} from '../redact.js';
import {parseJsonOrUndefined} from './json.js';

/** Maximum length of the sample of an invalid body: bytes to read, characters to show. */
const longestSample = 1024;
const sampleLength = 60;

/**
 * Describes a body that is not JSON: its media type, and its beginning unless that may be a secret: a
 * service may send a bare token or key as text when it creates one.
 */
function describeBody(context: CallContext, response: ServiceResponse): string {
  const type = response.headers['content-type'];
  const text = response.body.toString('utf8', 0, longestSample).trim();
  const named = type === undefined ? 'without a media type' : `of type ${quote(context, type)}`;
  if (!isProse(text) || traits[context.operation].creates) {
    return `it is ${named} and not valid JSON`;
  }
  const sample = quote(context, text.replace(/\s+/g, ' ')).slice(0, sampleLength);
  return `it is ${named} and not JSON; it begins: ${sample}`;
}

const isJsonType = ({headers}: ServiceResponse) => /\bjson\b/i.test(headers['content-type'] ?? '');

/** The beginning of an object or an array in JSON, which some services send with another media type. */
const jsonStart = /^\s*(\{\s*["}]|\[\s*["[\]{]|[[{]\s*$)/;

/**
 * The JSON value of a whole response; undefined when it is empty.
 *
 * @throws ClientError of kind `protocol` when only a part of the JSON arrived, or it is not JSON or too long
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
    if (!isJsonType(response) && !jsonStart.test(text)) throw protocolError(context, description);
    const end = /^\s*[[{].*[,:{["]\s*$/s.test(text) ? '; it ends in the middle' : '';
    // Without a length, nothing else shows that a part of the body is lost; the request may be repeated.
    throw protocolError(context, description + end, undefined, 'body-incomplete');
  }
  return value;
}

/**
 * The JSON value of a response, as `parseBody`.
 *
 * @param otherwise returns the value for a body that is not JSON; by default it throws
 * @throws AppError also when it is nested too deep, or reports an error in spite of its status
 */
export function readBody(
  context: CallContext,
  response: ServiceResponse,
  otherwise = (error: unknown): Json | undefined => {
    throw error;
  },
): Json | undefined {
  let body: Json | undefined;
  try {
    body = parseBody(context, response);
    if (isTooDeep(body ?? null)) throw protocolError(context, 'it is nested too deep');
  } catch (error) {
    body = otherwise(error);
  }
  const reported = reportedError(body, context.operation);
  if (reported) throw serviceError(context, response, reported);
  return body;
}

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
  // RFC 9110 §15.3.5, §15.3.6: responses with these statuses have no body.
  const mayBeEmpty = status === 204 || status === 205 || headers['location'] !== undefined;
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
export function readFreeBody(context: CallContext, response: ServiceResponse): Json | undefined {
  const {headers, body} = response;
  return readBody(context, response, (error) => {
    if (isJsonType(response) || isHtml(headers['content-type'], body.toString())) throw error;
    return undefined;
  });
}
