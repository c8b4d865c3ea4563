import {STATUS_CODES} from 'node:http';
import type {Operation} from '../../contract/index.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ServiceResponse} from '../messages.js';
import {connectorNames} from '../names/connectors.js';
import {errorNames} from '../names/errors.js';
import {parseJsonOrUndefined} from '../read/json.js';
import {isHtml, linesOf} from '../read/web-page.js';

/** The known parts of an error response. */
export interface ServiceError {
  /** A text that says more than the status. */
  readonly message?: string | undefined;
  /** The first text, which may say no more than the status: "not found". */
  readonly title?: string | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** The HTTP status in the body; undefined unless it is 400 to 599. */
  readonly status?: number | undefined;
}

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
    .concat(errorNames.headings)
    .map((text) => lettersOf(text ?? ''))
    .flatMap((word) => [word, `httpstatus${word}`, `${word}exception`, `${word}error`]),
);

/** Whether a text says more than the status. */
const isSaying = (text: string) => !statusWords.has(lettersOf(text));

/** Whether a text has several words, or is in a script without spaces. */
const isSentence = (text: string) =>
  text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length > 1 ||
  /[^\0-\u024f]{2}/.test(text);

const joined = (texts: readonly (string | undefined)[]) =>
  texts.filter(Boolean).slice(0, mostEntries).join('; ') || undefined;

/** A message is a text, a list of messages, or an object with the parts of an error, else of field → message. */
function readError(value: Json, depth = deepest): ServiceError {
  if (isObject(value)) return readObject(value, depth);
  if (!Array.isArray(value)) return readString(value);
  const entries = depth === 0 ? [] : value.slice(0, mostEntries);
  const errors = entries.map((entry) => readError(entry, depth - 1));
  return {...firstParts(errors), message: joined(errors.map(({message}) => message))};
}

/** A text, or a list of errors as JSON in one. */
function readString(value: Json): ServiceError {
  const title = readText(value);
  const list = title?.trimStart().startsWith('[') && parseJsonOrUndefined(title);
  return list ? readError(list, 2) : {title, message: title && isSaying(title) ? title : undefined};
}

/** The first of each part in these errors. */
function firstParts(errors: readonly ServiceError[]): ServiceError {
  const first = <Part extends keyof ServiceError>(part: Part) =>
    errors.map((error) => error[part]).find((value) => value !== undefined);
  const [message, title, code] = [first('message'), first('title'), first('code')];
  return {message, title, code, requestId: first('requestId'), status: first('status')};
}

function readObject(object: JsonObject, depth: number): ServiceError {
  const {message, code, requestId, status, path, envelopes} = errorNames;
  const around = depth === 0 ? [] : envelopes.map((name) => object[name] ?? null);
  const inner = firstParts(
    around.filter((value) => typeof value === 'object').map((value) => readError(value, depth - 1)),
  );
  const texts = message
    .filter((field) => typeof object[field] === 'string')
    .map((field) => ({field, ...readString(object[field] ?? null)}));
  const own =
    texts.find((text) => isSentence(text.message ?? '')) ?? texts.find((text) => text.message);
  const said = own?.message ?? inner.message ?? readFields(object, depth);
  const details = own && inner.message !== said ? inner.message : undefined;
  const about = depth < deepest && said ? firstValue(object, path, readPath) : undefined;
  // A word that is both the code and the message counts as the message.
  const codes = code.filter((field) => field !== own?.field);
  return {
    message: [about && `${about}: `, said, details && ` (${details})`].join('') || undefined,
    title: texts[0]?.title ?? inner.title,
    code: firstValue(object, codes, readCode) ?? inner.code,
    requestId: firstValue(object, requestId, readLabel) ?? inner.requestId,
    status: firstValue(object, status, readErrorStatus) ?? inner.status,
  };
}

/** Fields that say nothing about others. */
const unrelatedFields = new Set([
  ...connectorNames.id,
  ...[errorNames.code, errorNames.requestId, errorNames.status, errorNames.path].flat(),
]);

/** The fields of an object that say something under their own names: "name: must not be blank". */
function readFields(object: JsonObject, depth: number): string | undefined {
  const fields = depth === 0 ? [] : Object.entries(object).slice(0, mostFields);
  const said = fields.map(([field, value]) => {
    const {message = ''} = unrelatedFields.has(field) ? {} : readError(value, depth - 1);
    return isSentence(message) ? `${field}: ${message}` : undefined;
  });
  return joined(said);
}

/** A path is a text, a list of steps, or an object with one (`source.pointer` of JSON:API). */
function readPath(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(readLabel).join('.') || undefined;
  return isObject(value) ? firstValue(value, errorNames.path, readText) : readText(value);
}

/** A code is a word or a number; a text with spaces is a message. */
function readCode(value: Json): string | undefined {
  const label = readLabel(value);
  return label && /^[\w.:/-]{1,100}$/.test(label) ? label : undefined;
}

function readErrorStatus(value: Json): number | undefined {
  const status = Number(readLabel(value));
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

export const readMessage = (object: JsonObject): string | undefined => readError(object).message;

const isFilled = (value: Json | undefined) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

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
  const reported = readError(body);
  if (['ok', 'success'].some((field) => body[field] === false)) return reported;
  const saysNothing = (reported.title ?? reported.status) === undefined;
  if (saysNothing || firstValue(body, [...connectorNames.id, 'token'], readLabel)) return undefined;
  const {status = null, error, errors} = body;
  const isFailure = typeof status === 'string' && /^(error|fail(ed|ure)?)$/i.test(status);
  const isNumbered = firstValue(body, errorNames.status, readErrorStatus) !== undefined;
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

/**
 * Reads an error response: a problem document, `{"error": …}`, `{"message": …}`, `{"errors": […]}`, a text or a web page,
 * of which the first sentence counts, or an empty body.
 */
export function readServiceError({body}: Pick<ServiceResponse, 'body'>): ServiceError {
  const text = body.toString();
  const json = isHtml(text) ? undefined : parseJsonOrUndefined(text);
  if (json !== undefined) return readError(json);
  // The first line of Django's text has the class of the error: `ValueError at /path`.
  const isClass = (line: string) => /^\w+ at \/\S*$/.test(line);
  const saying = linesOf(text).filter((line) => isSaying(line) && !isClass(line));
  return {message: saying.find(isSentence) ?? saying[0]};
}
