import type {Operation} from '../../contract/index.js';
import {isSecretName} from '../../domain/secret-names.js';
import type {Json, JsonObject} from '../types.js';
import {firstField, isObject, names as known, readLabel, readText} from './fields.js';

/** What an error answer says, as far as it says anything. */
export interface ServiceError {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** The HTTP status that it repeats, where it is one of an error. */
  readonly status?: number | undefined;
}

/** Under which names services say what went wrong (design §3); the first that fits wins. */
const names = {
  /** `detail` is the more exact one in RFC 9457; `error` is a text in OAuth (RFC 6749 §5.2) and others. */
  message: [
    'detail',
    'message',
    'error_description',
    'errorMessage',
    'error_message',
    'msg',
    'title',
    'reason',
    'error',
  ],
  /** `error` is a code where a description stands beside it. */
  code: ['code', 'error_code', 'errorCode', 'error'],
  requestId: ['request_id', 'requestId', 'trace_id', 'traceId', 'correlation_id', 'correlationId'],
  /** Where the error may be nested. */
  envelopes: ['error', 'errors', 'detail', 'details', 'data'],
  /** HTTP statuses in the body. */
  status: ['status', 'statusCode', 'status_code', 'code'],
  /** Which field of the request an entry is about. */
  path: ['path', 'field', 'pointer', 'param', 'loc', 'source'],
} as const;

/** Headers that carry the service's id of the request, beside the contract's own. */
export const requestIdHeaders = [
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-trace-id',
];

/** How many entries of a list of errors are repeated. */
const mostEntries = 5;

/** "name: must be 1 to 128 characters", from an entry of a list of errors. */
function readEntry(entry: Json): string | undefined {
  if (!isObject(entry)) return readText(entry);
  const message = firstField(entry, names.message, readText)?.value;
  const path = firstField(entry, names.path, readPath)?.value;
  return message && path ? `${path}: ${message}` : message;
}

/** A path is a text, a list of steps, or an object that holds one (JSON:API's `source.pointer`). */
function readPath(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(readLabel).join('.') || undefined;
  return isObject(value) ? firstField(value, names.path, readText)?.value : readText(value);
}

/** The entries of a list of errors, as one text. */
function readEntries(value: Json): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = value.slice(0, mostEntries).map(readEntry).filter(Boolean);
  return entries.join('; ') || undefined;
}

/** Codes are words or numbers without spaces; a sentence is a message. */
function readCode(value: Json): string | undefined {
  const label = readLabel(value);
  return label && /^[\w.:/-]{1,100}$/.test(label) ? label : undefined;
}

function readObject(object: JsonObject): ServiceError {
  const nested = firstField(object, names.envelopes, (value) => {
    const inner = Array.isArray(value) ? value[0] : value;
    return isObject(inner) ? readObject(inner) : undefined;
  })?.value;
  const entries = firstField(object, names.envelopes, readEntries)?.value;
  const own = firstField(object, names.message, readText);
  const code = firstField(object, names.code, readCode);
  return {
    message:
      own && entries ? `${own.value} (${entries})` : (own?.value ?? entries ?? nested?.message),
    // The only word there is, is the message.
    code: (code?.field === own?.field ? undefined : code?.value) ?? nested?.code,
    requestId: firstField(object, names.requestId, readLabel)?.value ?? nested?.requestId,
    status: firstField(object, names.status, readErrorStatus)?.value ?? nested?.status,
  };
}

function readErrorStatus(value: Json): number | undefined {
  const status = Number(readLabel(value));
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** The message of an object, whatever it is. */
export function readMessage(object: JsonObject): string | undefined {
  return readObject(object).message;
}

const isFilled = (value: Json | undefined) =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined && value !== '' && value !== false && value !== null;

/**
 * The error that a response with a status of success carries all the same: `{"success": false}`,
 * `{"errors": [{"message": "…"}]}`, `{"status": "error", "message": "…"}`. A connector may have fields
 * of these names itself. Nor is an activation refused whose response may hold a credential.
 */
export function reportedError(
  body: Json | undefined,
  operation?: Operation,
): ServiceError | undefined {
  if (!isObject(body)) return undefined;
  const said = readObject(body);
  if (['ok', 'success'].some((field) => body[field] === false)) return said;
  if (said.message === undefined || firstField(body, [...known.id, 'token'], readLabel)) return;
  const {status = null, error, errors} = body;
  const isFailure = typeof status === 'string' && /^(error|fail(ed|ure)?)$/i.test(status);
  const isNumbered = firstField(body, names.status, readErrorStatus) !== undefined;
  if (!isFailure && !isNumbered && !isFilled(error) && !isFilled(errors)) return undefined;
  return operation === 'activate' && mayHoldCredential(body) ? undefined : said;
}

function mayHoldCredential(body: JsonObject): boolean {
  const errors = new Set<string>(['error', 'errors', 'detail', 'details']);
  return Object.entries(body).some(
    ([field, value]) =>
      !errors.has(field) && isFilled(value) && (typeof value === 'object' || isSecretName(field)),
  );
}

/** The title of an HTML page, else the first line of its text. */
function readHtml(text: string): string | undefined {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1];
  return title?.replace(/\s+/g, ' ').trim() || firstLine(text.replace(/<[^>]*>/g, '\n'));
}

function firstLine(text: string): string | undefined {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .find((line) => line !== '');
}

/** Whether a text is a web page rather than a response. */
export function isHtml(contentType: string | undefined, text: string): boolean {
  return /\bhtml\b/i.test(contentType ?? '') || /^\s*<(!doctype|html)/i.test(text);
}

/**
 * Reads what an error answer says: a problem document, `{"error": …}`, `{"message": …}`,
 * `{"errors": […]}`, a text, an HTML page, or nothing.
 */
export function readServiceError(contentType: string | undefined, text: string): ServiceError {
  if (isHtml(contentType, text)) return {message: readHtml(text)};
  try {
    const json: Json = JSON.parse(text);
    if (isObject(json)) return readObject(json);
    return {message: readEntries(json) ?? readText(json)};
  } catch {
    return {message: firstLine(text)};
  }
}
