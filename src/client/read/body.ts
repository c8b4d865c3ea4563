import type {Operation} from '../../contract/index.js';
import type {Json} from '../../domain/json.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {isHtml, reportedError} from '../errors/error-shapes.js';
import {reportedFailure} from '../errors/service.js';
import {isTooDeep} from '../fields.js';
import type {ServiceResponse} from '../messages.js';
import {isProse} from '../redact.js';
import {parseJsonOrUndefined} from './json.js';

/** How much of the beginning of an invalid body is read, in bytes, and shown, in characters. */
const longestSample = 1024;
const sampleLength = 60;

/** Operations whose responses hold a secret. */
const secretive: ReadonlySet<Operation> = new Set(['createToken', 'activate']);

export const tooDeep = 'it is nested too deep';

/**
 * Describes a body that is not JSON: its media type, and its beginning unless that may be a secret: a
 * service may send a bare token as text.
 */
export function describeBody(context: CallContext, response: ServiceResponse): string {
  const type = response.headers['content-type'];
  const text = response.start.toString('utf8', 0, longestSample).trim();
  const named = type === undefined ? 'without a media type' : `of type ${quote(context, type)}`;
  if (text === '') return 'it is empty';
  if (!isProse(text) || secretive.has(context.operation)) {
    return `it is ${named} and not valid JSON`;
  }
  const sample = quote(context, text.replace(/\s+/g, ' ')).slice(0, sampleLength);
  return `it is ${named} and not JSON; it begins: ${sample}`;
}

/**
 * The JSON value of a whole response; undefined when it is empty.
 *
 * @throws AppError of kind `protocol` when it is not JSON, longer than 1 MiB, or nested too deep.
 */
export async function parseBody(
  context: CallContext,
  response: ServiceResponse,
): Promise<Json | undefined> {
  if (response.rest) {
    response.rest.close();
    throw protocolError(context, 'it is longer than 1 MiB');
  }
  const text = response.start.toString().replace(/^\ufeff/, '');
  if (text.trim() === '') return undefined;
  const value = parseJsonOrUndefined(text);
  if (value === undefined) throw protocolError(context, describeBody(context, response));
  if (isTooDeep(value)) throw protocolError(context, tooDeep);
  return value;
}

/**
 * The JSON value of a response, as `parseBody`.
 *
 * @throws AppError also when the body reports an error in spite of its status
 */
export async function readBody(
  context: CallContext,
  response: ServiceResponse,
): Promise<Json | undefined> {
  return withoutError(context, response, await parseBody(context, response));
}

function withoutError(
  context: CallContext,
  response: ServiceResponse,
  body: Json | undefined,
): Json | undefined {
  const reported = reportedError(body, context.operation);
  if (reported) throw reportedFailure(context, response, reported);
  return body;
}

/**
 * The response to an activation, in any format (interface §4.2): it may hold the only copy of a
 * credential, so everything but JSON is kept as text. A web page is an error: another program responded.
 *
 * @throws AppError of kind `protocol` when it is a web page or longer than 1 MiB; also when the body
 *   reports an error in spite of its status
 */
export async function readWholeBody(
  context: CallContext,
  response: ServiceResponse,
): Promise<Json | undefined> {
  const body = await parseBody(context, response).catch((error: unknown) => {
    const text = response.start.toString();
    if (response.rest || isHtml(response.headers['content-type'], text)) throw error;
    return text;
  });
  return withoutError(context, response, body);
}

/**
 * The JSON value of a response that the interface leaves open (interface §4.5). A text such as "OK"
 * counts as empty. A web page is an error, because another program responded; so is invalid JSON with
 * the media type of JSON.
 */
export async function readFreeBody(
  context: CallContext,
  response: ServiceResponse,
): Promise<Json | undefined> {
  const type = response.headers['content-type'];
  const claimsNothing = !isHtml(type, response.start.toString()) && !/\bjson\b/i.test(type ?? '');
  const body = await parseBody(context, response).catch((error: unknown) => {
    if (claimsNothing) return undefined;
    throw error;
  });
  return withoutError(context, response, body);
}
