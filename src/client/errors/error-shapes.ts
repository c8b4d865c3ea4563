import {headers} from '../../contract/headers.js';
import type {Operation} from '../../contract/index.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {
  firstField,
  firstValue,
  idNames,
  isObject,
  namesIn,
  readLabel,
  readText,
} from '../fields.js';
import type {ServiceResponse} from '../messages.js';

/** The known parts of an error response. */
export interface ServiceError {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** The HTTP status in the body; undefined unless it is 400 to 599. */
  readonly status?: number | undefined;
}

/** The names that services use for the parts of an error; the first match wins. */
const parts = {
  /** In RFC 9457, `detail` is more exact than `title`; in OAuth (RFC 6749 §5.2), `error` is a text. */
  message: namesIn('detail message error_description error_message msg title reason error'),
  /** `error` is a code when there is a description too. */
  code: namesIn('code error_code error'),
  requestId: namesIn('request_id trace_id correlation_id'),
  /** Fields that may contain the error. */
  envelopes: namesIn('error errors detail details data'),
  /** HTTP statuses in the body. */
  status: namesIn('status status_code code'),
  /** The field of the request that an entry is about. */
  path: namesIn('path field pointer param loc source'),
} as const;

/** Headers with the service's id of the request. */
export const requestIdHeaders = [
  headers.requestId,
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-trace-id',
];

/** Maximum number of errors of a list in a message. */
const mostEntries = 5;

/** "name: must be 1 to 128 characters", from an entry of a list of errors. */
function readEntry(entry: Json): string | undefined {
  if (!isObject(entry)) return readText(entry);
  const message = firstValue(entry, parts.message, readText);
  const path = firstValue(entry, parts.path, readPath);
  return message && path ? `${path}: ${message}` : message;
}

/** A path is a text, a list of steps, or an object with one (`source.pointer` of JSON:API). */
function readPath(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(readLabel).join('.') || undefined;
  return isObject(value) ? firstValue(value, parts.path, readText) : readText(value);
}

/** The first entries of a list of errors, as one text. */
function readEntries(value: Json): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value.slice(0, mostEntries).map(readEntry).filter(Boolean);
  return entries.join('; ') || undefined;
}

/** A code is a word or a number; a text with spaces is a message. */
function readCode(value: Json): string | undefined {
  const label = readLabel(value);
  return label && /^[\w.:/-]{1,100}$/.test(label) ? label : undefined;
}

function readObject(object: JsonObject): ServiceError {
  const nested = firstValue(object, parts.envelopes, (value) => {
    const inner = Array.isArray(value) ? value[0] : value;
    return isObject(inner) ? readObject(inner) : undefined;
  });
  const entries = firstValue(object, parts.envelopes, readEntries);
  const own = firstField(object, parts.message, readText);
  const code = firstField(object, parts.code, readCode);
  return {
    message:
      own && entries ? `${own.value} (${entries})` : (own?.value ?? entries ?? nested?.message),
    // A word that is both the code and the message counts as the message.
    code: (code?.field === own?.field ? undefined : code?.value) ?? nested?.code,
    requestId: firstValue(object, parts.requestId, readLabel) ?? nested?.requestId,
    status: firstValue(object, parts.status, readErrorStatus) ?? nested?.status,
  };
}

function readErrorStatus(value: Json): number | undefined {
  const status = Number(readLabel(value));
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

export function readMessage(object: JsonObject): string | undefined {
  return readObject(object).message;
}

const isFilled = (value: Json | undefined) =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined && value !== '' && value !== false && value !== null;

/**
 * The error in a response whose status is a success: `{"success": false}`,
 * `{"errors": [{"message": "…"}]}`, `{"status": "error", "message": "…"}`. Fields of a connector
 * with the same names are not an error; nor is, unless `ok` or `success` is false, the response to an
 * activation that may hold a credential.
 */
export function reportedError(
  body: Json | undefined,
  operation?: Operation,
): ServiceError | undefined {
  if (!isObject(body)) return undefined;
  const reported = readObject(body);
  if (['ok', 'success'].some((field) => body[field] === false)) return reported;
  if (reported.message === undefined || firstValue(body, [...idNames, 'token'], readLabel)) return;
  const {status = null, error, errors} = body;
  const isFailure = typeof status === 'string' && /^(error|fail(ed|ure)?)$/i.test(status);
  const isNumbered = firstValue(body, parts.status, readErrorStatus) !== undefined;
  if (!isFailure && !isNumbered && !isFilled(error) && !isFilled(errors)) return undefined;
  return operation === 'activate' && mayHoldCredential(body) ? undefined : reported;
}

function mayHoldCredential(body: JsonObject): boolean {
  const errors = new Set<string>(['error', 'errors', 'detail', 'details']);
  return Object.entries(body).some(
    ([field, value]) =>
      !errors.has(field) && isFilled(value) && (typeof value === 'object' || isSecretName(field)),
  );
}

/** Characters of a web page that are read: the expressions take the square of the length for some pages. */
const longestPage = 4096;

/** The title of a web page, else the first line of its text. */
function readHtml(page: string): string | undefined {
  const text = page.slice(0, longestPage);
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1];
  return title?.replace(/\s+/g, ' ').trim() || firstLine(text.replace(/<[^>]*>/g, '\n'));
}

function firstLine(text: string): string | undefined {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .find((line) => line !== '');
}

/**
 * Whether a body is a page of another program. Its media type says nothing: Express, NestJS, hapi, Flask, Sinatra and
 * PHP send any text as `text/html`.
 */
export function isHtml(text: string): boolean {
  return /^\s*</.test(text);
}

/**
 * Reads an error response: a problem document, `{"error": …}`, `{"message": …}`, `{"errors": […]}`, a
 * text, a web page, or an empty body.
 */
export function readServiceError({body}: Pick<ServiceResponse, 'body'>): ServiceError {
  const text = body.toString();
  if (isHtml(text)) return {message: readHtml(text)};
  try {
    const json: Json = JSON.parse(text);
    if (isObject(json)) return readObject(json);
    return {message: readEntries(json) ?? readText(json)};
  } catch {
    return {message: firstLine(text)};
  }
}
