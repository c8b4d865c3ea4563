import {STATUS_CODES} from 'node:http';
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
import {parseJsonOrUndefined} from '../read/json.js';

/** The known parts of an error response. */
export interface ServiceError {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** The HTTP status in the body; undefined unless it is 400 to 599. */
  readonly status?: number | undefined;
}

/** The names that services use for the parts of an error; the first match wins. The table of the test holds the sources. */
export const parts = {
  /** In RFC 9457, `detail` is more exact than `title`; in OAuth (RFC 6749 §5.2), `error` is a text. */
  message: namesIn(
    'detail details message error_description error_message error_summary description msg title reason error',
  ),
  /** `error` is a code when there is a description too. */
  code: namesIn('code error_code error'),
  requestId: namesIn('request_id trace_id correlation_id error_id'),
  /** Fields that may contain the error, a list of errors, or an object of field → errors. */
  envelopes: namesIn(
    'error errors error_messages error_causes violations field_violations field_errors issues message detail details data',
  ),
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
/** Maximum number of fields that are read for them. */
const mostFields = 50;
/** The most levels of objects and lists around a message. */
const deepest = 6;

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, '');
/** Texts that say no more than a status does. */
const statusWords = new Set(
  [...Object.values(STATUS_CODES), 'Content Too Large', 'Unprocessable Content', 'Error', '']
    .map((text) => lettersOf(text ?? ''))
    .flatMap((word) => [word, `httpstatus${word}`, `${word}exception`, `${word}error`]),
);

/** A text that says more than the status. */
const readSaying = (value: Json) =>
  statusWords.has(lettersOf(readText(value) ?? '')) ? undefined : readText(value);

/** Whether a text has several words, or is in a script without spaces. */
const isSentence = (text: string) =>
  text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length > 1 ||
  /[^\0-\u024f]{2}/.test(text);

/** What a value says: a text, a list of values, or an object with a message, else of field → message. */
function readSaid(value: Json, depth = deepest): string | undefined {
  const inner = typeof value === 'string' && /^\s*\[/.test(value) && parseJsonOrUndefined(value);
  if (inner) return readSaid(inner, 2);
  if (typeof value !== 'object' || value === null) return readSaying(value);
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const said = value.slice(0, mostEntries).map((entry) => readSaid(entry, depth - 1));
    return said.filter(Boolean).join('; ') || undefined;
  }
  const {message} = readObject(value, depth - 1);
  const path = firstValue(value, parts.path, readPath);
  return message && path ? `${path}: ${message}` : message;
}

/** Fields that say nothing about others. */
const unrelatedFields = new Set([
  ...idNames,
  ...parts.code,
  ...parts.requestId,
  ...parts.status,
  ...parts.path,
]);

/** The first of an object's fields that say something under their own names: "name: must not be blank". */
function readFields(object: JsonObject, depth: number): string | undefined {
  const fields = Object.entries(object).slice(0, mostFields);
  const said = fields.flatMap(([field, value]) => {
    const text = readSaid(value, depth);
    return text && !unrelatedFields.has(field) && isSentence(text) ? [`${field}: ${text}`] : [];
  });
  return said.slice(0, mostEntries).join('; ') || undefined;
}

/** A path is a text, a list of steps, or an object with one (`source.pointer` of JSON:API). */
function readPath(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(readLabel).join('.') || undefined;
  return isObject(value) ? firstValue(value, parts.path, readText) : readText(value);
}

/** A code is a word or a number; a text with spaces is a message. */
function readCode(value: Json): string | undefined {
  const label = readLabel(value);
  return label && /^[\w.:/-]{1,100}$/.test(label) ? label : undefined;
}

function readObject(object: JsonObject, depth = deepest): ServiceError {
  const inEnvelope = <T>(read: (value: Json) => T | undefined) =>
    depth === 0
      ? undefined
      : firstValue(object, parts.envelopes, (value) =>
          typeof value === 'object' ? read(value) : undefined,
        );
  const nested = inEnvelope((value) => {
    const inner = Array.isArray(value) ? value[0] : value;
    return isObject(inner) ? readObject(inner, depth - 1) : undefined;
  });
  const entries = inEnvelope((value) => readSaid(value, depth));
  const text = (value: Json) => (typeof value === 'string' ? readSaid(value) : undefined);
  const sentence = (value: Json) => [text(value)].find((said) => said && isSentence(said));
  const own =
    firstField(object, parts.message, sentence) ?? firstField(object, parts.message, text);
  const code = firstField(object, parts.code, readCode);
  return {
    message:
      own && entries && own.value !== entries
        ? `${own.value} (${entries})`
        : (own?.value ?? entries ?? readFields(object, depth)),
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
    : value !== undefined && value !== '' && value !== 0 && value !== false && value !== null;

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
  const saysNothing = (reported.message ?? reported.status ?? anyMessage(body)) === undefined;
  if (saysNothing || firstValue(body, [...idNames, 'token'], readLabel)) return undefined;
  const {status = null, error, errors} = body;
  const isFailure = typeof status === 'string' && /^(error|fail(ed|ure)?)$/i.test(status);
  const isNumbered = firstValue(body, parts.status, readErrorStatus) !== undefined;
  if (!isFailure && !isNumbered && !isFilled(error) && !isFilled(errors)) return undefined;
  return operation === 'activate' && mayHoldCredential(body) ? undefined : reported;
}

/** A message of an object or of the first error in it, also one that says no more than a status: "not found". */
function anyMessage(object: JsonObject): string | undefined {
  const inErrors = (value: Json) => {
    const [first = null] = [value].flat();
    return isObject(first) ? firstValue(first, parts.message, readText) : undefined;
  };
  return (
    firstValue(object, parts.message, readText) ?? firstValue(object, parts.envelopes, inErrors)
  );
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

const entities = new Map(
  Object.entries({quot: '"', '#39': "'", amp: '&', lt: '<', gt: '>', nbsp: ' '}),
);

/** The first sentence of a web page, else its first line that says more than the status. */
function readHtml(page: string): string | undefined {
  const text = page
    .slice(0, longestPage)
    .replace(/<(style|script)\b.*?(<\/\1>|$)/gis, '')
    .replace(/\s+/g, ' ')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&(\w+|#39);/g, (all, name: string) => entities.get(name) ?? all);
  return linesOf(text).find(isSentence) ?? linesOf(text)[0];
}

/** The lines that say more than the status; without that of Django's error class (`ValueError at /path`). */
function linesOf(text: string): string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => readSaying(line) && !/^\w+ at \/\S*$/.test(line));
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
    return isObject(json) ? readObject(json) : {message: readSaid(json)};
  } catch {
    return {message: linesOf(text)[0]};
  }
}
