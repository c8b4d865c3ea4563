import type {Operation} from '../../contract/index.js';
import {type CallContext, protocolError, quote} from '../context.js';
import {reportedFailure} from '../errors/service.js';
import type {ServiceResponse} from '../messages.js';
import {isProse} from '../redact.js';
import type {Json} from '../types.js';
import {isHtml, reportedError} from './error-shapes.js';
import {isTooDeep} from './fields.js';
import {parseJson} from './json.js';

/** How much of the beginning of a foreign answer is looked at, in bytes, and shown, in characters. */
const longestSample = 1024;
const sampleLength = 60;

/** Operations whose answers are there to hold a secret. */
const secretive: ReadonlySet<Operation> = new Set(['createToken', 'activate']);

/** What is said of a response that is JSON, but no sane one. */
export const tooDeep = 'it is nested too deep';

/**
 * What came in the place of JSON: its media type, and how it begins where that can be no secret: a
 * service may well send a bare token as text.
 */
export function describeBody(context: CallContext, response: ServiceResponse): string {
  const type = response.headers['content-type'];
  const text = response.start.toString('utf8', 0, longestSample).trim();
  const named = type === undefined ? 'without a media type' : `of type ${quote(context, type)}`;
  if (text === '') return 'it is empty';
  if (!isProse(text) || secretive.has(context.operation)) {
    return `it is ${named} and no valid JSON`;
  }
  const sample = quote(context, text.replace(/\s+/g, ' ')).slice(0, sampleLength);
  return `it is ${named} and no JSON; it begins: ${sample}`;
}

/**
 * The JSON value of a response that is read as a whole; undefined when it is empty.
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
  const value = parsed(text);
  if (value === undefined) throw protocolError(context, describeBody(context, response));
  if (isTooDeep(value)) throw protocolError(context, tooDeep);
  return value;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The same, of a response that is one object.
 *
 * @throws AppError also when the service reports an error in it, in spite of its status.
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
  const said = reportedError(body, context.operation);
  if (said) throw reportedFailure(context, response, said);
  return body;
}

/**
 * The response to an activation, whatever it is (interface §4.2): it may hold the only copy of a
 * credential, so what is not JSON is kept as text. A web page is refused: another program responded.
 *
 * @throws AppError of kind `protocol` when it is a web page, or longer than 1 MiB; also when the service
 *   reports an error in it, in spite of its status.
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
 * The JSON value of a response of which the interface shows nothing (interface §4.5): a text
 * such as "OK" is as good as none. A web page is not: something else answers at this address. Nor
 * is what calls itself JSON and is not.
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
