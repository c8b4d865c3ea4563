import {STATUS_CODES} from 'node:http';
import type {Operation} from '../../contract/index.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {isSecretName} from '../../domain/secret-names.js';
import {firstValue, isObject, readLabel, readText} from '../fields.js';
import type {ServiceResponse} from '../messages.js';
import {connectorNames} from '../names/connectors.js';
import {errorNames} from '../names/errors.js';
import {parseJsonOrUndefined} from '../read/json.js';

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

/**
 * Limits for reading an error: errors in a list, fields of an object, levels of nesting, and UTF-16 code units of a web
 * page, because the expressions take quadratic time for some pages.
 */
const most = {errors: 5, fields: 50, levels: 7, characters: 4096} as const;

const lettersOf = (text = '') => text.toLowerCase().replace(/[^\p{L}]/gu, '');
/** Texts that say no more than a status. */
const statusWords = new Set(
  [...Object.values(STATUS_CODES), 'Content Too Large', 'Unprocessable Content', 'Error', '']
    .concat(errorNames.headings)
    .map(lettersOf)
    .flatMap((word) => [word, `httpstatus${word}`, `${word}exception`, `${word}error`]),
);

/** Whether a text says more than a status, or than the first line of Django's error texts: `ValueError at /path`. */
const isSaying = (text: string) =>
  !statusWords.has(lettersOf(text)) && !/^\w+ at \/\S*$/.test(text);

/** Whether a text has several words, or is in another script than Latin, perhaps one without spaces. */
const isSentence = (text = '') =>
  text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length > 1 ||
  /[^\0-\u024f]{2}/.test(text);

const joined = (texts: readonly (string | undefined)[]) =>
  texts.filter(Boolean).slice(0, most.errors).join('; ') || undefined;

/** Takes each part from the first error that has it. */
function firstParts(errors: readonly ServiceError[]): ServiceError {
  const parts = errors.flatMap((error) => Object.entries(error));
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined).reverse());
}

/** Reads an error: a text, a list of errors, or an object with the parts of an error or of field → message. */
function readError(value: Json, levels: number = most.levels): ServiceError {
  if (levels === 0) return {};
  if (isObject(value)) return readObject(value, levels);
  if (!Array.isArray(value)) return readString(value);
  const errors = value.slice(0, most.errors).map((entry) => readError(entry, levels - 1));
  return {...firstParts(errors), message: joined(errors.map(({message}) => message))};
}

/** Reads a text, which may hold a list of errors as JSON. */
function readString(value: Json): ServiceError {
  const title = readText(value);
  const list = title?.trimStart().startsWith('[') && parseJsonOrUndefined(title);
  return list ? readError(list, 3) : {title, message: title && isSaying(title) ? title : undefined};
}

function readObject(object: JsonObject, levels: number): ServiceError {
  const {message, code, requestId, status, path, envelopes} = errorNames;
  const isOf = (type: string) => (field: string) => typeof object[field] === type;
  const inside = (field: string) => readError(object[field] ?? null, levels - 1);
  const inner = firstParts(envelopes.filter(isOf('object')).map(inside));
  const texts = message.filter(isOf('string')).map((field) => ({field, ...inside(field)}));
  const own = texts.find((text) => isSentence(text.message)) ?? texts.find((text) => text.message);
  const said = own?.message ?? inner.message ?? readFields(object, inside);
  const details = own && inner.message !== said ? inner.message : undefined;
  const about = levels < most.levels && said ? firstValue(object, path, readPath) : undefined;
  // A field that gave the message cannot be the code too.
  const codes = code.filter((field) => field !== own?.field);
  const outer = {
    message: [about && `${about}: `, said, details && ` (${details})`].join('') || undefined,
    title: texts[0]?.title,
    code: firstValue(object, codes, readCode),
    requestId: firstValue(object, requestId, readLabel),
    status: firstValue(object, status, readErrorStatus),
  };
  return firstParts([outer, inner]);
}

/** Fields that never hold a message about a field of the request. */
const unrelatedFields = new Set([
  ...connectorNames.id,
  ...[errorNames.code, errorNames.requestId, errorNames.status, errorNames.path].flat(),
]);

/** The messages of an object of field → message: "name: must not be blank". */
function readFields(object: JsonObject, inside: (field: string) => ServiceError) {
  const fields = Object.keys(object).filter((field) => !unrelatedFields.has(field));
  const said = fields.slice(0, most.fields).map((field) => [field, inside(field).message]);
  return joined(said.filter(([, message]) => isSentence(message)).map((one) => one.join(': ')));
}

/** Reads a path: a text, a list of steps, or an object with a path (`source.pointer` of JSON:API). */
function readPath(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(readLabel).join('.') || undefined;
  return isObject(value) ? firstValue(value, errorNames.path, readText) : readText(value);
}

/** Reads a code: a word or a number. A text with spaces is a message. */
const readCode = (value: Json) => /^[\w.:/-]{1,100}$/.exec(readLabel(value) ?? '')?.[0];

const readErrorStatus = (value: Json) =>
  Number(/^[45]\d\d$/.exec(readLabel(value) ?? '')?.[0]) || undefined;

export const readMessage = (object: JsonObject): string | undefined => readError(object).message;

const isFilled = (value?: Json) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/**
 * The error in a response whose status is a success: `{"success": false}`, `{"errors": [{"message": "…"}]}`,
 * `{"status": "error", "message": "…"}`. Fields of a connector with the same names are not an error. Nor is the
 * response to an activation that may hold a credential, unless `ok` or `success` is false.
 */
export function reportedError(body?: Json, operation?: Operation): ServiceError | undefined {
  if (!isObject(body)) return undefined;
  const {status = null, error, errors} = body;
  const isDenied = ['ok', 'success'].some((field) => body[field] === false);
  const isNamed = /^(error|fail(ed|ure)?)$/i.test(String(status));
  const isNumbered = firstValue(body, errorNames.status, readErrorStatus) !== undefined;
  if (!isDenied && !isNamed && !isNumbered && ![error, errors].some(isFilled)) return undefined;
  const reported = readError(body);
  const saysNothing = (reported.title ?? reported.status) === undefined;
  const isRecord = firstValue(body, [...connectorNames.id, 'token'], readLabel) !== undefined;
  const isOther = saysNothing || isRecord || (operation === 'activate' && mayHoldCredential(body));
  return isDenied || !isOther ? reported : undefined;
}

function mayHoldCredential(body: JsonObject): boolean {
  const others = Object.entries(body).filter(([field]) => !/^(error|detail)s?$/.test(field));
  return others.some(
    ([field, value]) => isFilled(value) && (typeof value === 'object' || isSecretName(field)),
  );
}

/** Whether a body is a web page. Its media type says nothing: Express, Flask and PHP send any text as `text/html`. */
export const isHtml = (text: string): boolean => /^\s*</.test(text);

const entity = new Map(Object.entries({quot: '"', 39: "'", amp: '&', lt: '<', gt: '>', nbsp: ' '}));

/** The lines of a text, or of the beginning of a web page, with one line for each element. */
function linesOf(text: string): string[] {
  const page = text
    .slice(0, most.characters)
    .replace(/<(style|script)\b.*?(<\/\1>|$)/gis, '')
    .replace(/\s+/g, ' ')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#?(\w+);/g, (all, name: string) => entity.get(name) ?? all);
  return (isHtml(text) ? page : text).split(/[\r\n]+/).map((line) => line.trim());
}

/** Reads an error response: JSON, the first sentence of a text or of a web page, or an empty body. */
export function readServiceError({body}: Pick<ServiceResponse, 'body'>): ServiceError {
  const text = body.toString();
  const json = parseJsonOrUndefined(text);
  if (json !== undefined) return readError(json);
  const saying = linesOf(text).filter(isSaying);
  return {message: saying.find(isSentence) ?? saying[0]};
}
