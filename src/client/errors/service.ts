import {STATUS_CODES} from 'node:http';
import {headers as headerNames} from '../../contract/headers.js';
import type {ProblemCode} from '../../contract/index.js';
import {clockTolerance} from '../../domain/time.js';
import type {AppError, ErrorKind} from '../../errors.js';
import {
  type CallContext,
  errorMessage,
  hostLabel,
  plainUrl,
  quote,
  suggestedBaseUrl,
} from '../context.js';
import type {ResponseHead} from '../messages.js';
import {AttemptError, type Retryability} from '../messages.js';
import {type ClientErrorReason, clientError} from '../reasons.js';
import {readServiceError, requestIdHeaders, type ServiceError} from './error-shapes.js';

/** Kind and retryability by status; `errors.ts` has the exit code of each kind. */
const statuses: Readonly<Record<number, readonly [ErrorKind, Retryability]>> = {
  401: ['auth', 'permanent'],
  403: ['auth', 'permanent'],
  404: ['not_found', 'permanent'],
  // With these four the service states that it did not process the request (RFC 9110 §15.5.9,
  // §15.6.4, RFC 8470 §5.2, RFC 6585 §4), so that even the creation of a token may be repeated.
  408: ['unavailable', 'not-processed'],
  425: ['unavailable', 'not-processed'],
  429: ['unavailable', 'not-processed'],
  503: ['unavailable', 'not-processed'],
  409: ['conflict', 'permanent'],
  410: ['conflict', 'permanent'],
  // A gateway lost the response of the service behind it, which may have processed the request.
  502: ['remote', 'unknown'],
  504: ['remote', 'unknown'],
};

function statusMeaning(status: number): readonly [ErrorKind, Retryability] {
  const known = statuses[status];
  if (known) return known;
  // A redirect that must not be followed, or a status that is neither success nor error.
  if (status < 400) return ['protocol', 'permanent'];
  return [status < 500 ? 'usage' : 'remote', 'permanent'];
}

/**
 * The reasons by the reference service's codes, where they are more exact than those by status. Other services
 * may use the codes too.
 */
const reasonsByCode = new Map<string | undefined, ClientErrorReason>([
  ['token_malformed', 'activation-token-malformed'],
  ['key_malformed', 'api-key-malformed'],
  ['key_revoked', 'api-key-revoked'],
  ['key_expired', 'api-key-expired'],
  ['key_read_only', 'api-key-read-only'],
  ['token_unknown', 'activation-token-unknown'],
  ['token_used', 'activation-token-used'],
  ['token_expired', 'activation-token-expired'],
  ['too_many_tokens', 'too-many-tokens'],
  ['too_many_connectors', 'too-many-connectors'],
] satisfies readonly (readonly [ProblemCode, ClientErrorReason])[]);

/** The reason where neither code, status nor operation has a more exact one. */
const reasonsByKind: Readonly<Partial<Record<ErrorKind, ClientErrorReason>>> = {
  usage: 'request-rejected',
  unavailable: 'service-unavailable',
  protocol: 'status-unexpected',
};

function reasonByStatus(
  {operation, hasKey}: CallContext,
  {status, keyWithheld}: Pick<ResponseHead, 'keyWithheld' | 'status'>,
): ClientErrorReason {
  const isActivation = operation === 'activate';
  const isOnOne = operation === 'get' || operation === 'heartbeat';
  const byKey = hasKey ? 'api-key-rejected' : 'api-key-missing';
  const refused = isActivation ? 'activation-token-rejected' : byKey;
  const inConflict = isOnOne ? 'connector-conflict' : 'request-conflict';
  const conflict = isActivation ? 'activation-token-unusable' : inConflict;
  const reasons: Readonly<Record<number, ClientErrorReason>> = {
    401: keyWithheld ? 'api-key-withheld' : refused,
    403: keyWithheld ? 'api-key-withheld' : refused,
    404: isOnOne ? 'connector-unknown' : 'route-unknown',
    405: 'operation-unsupported',
    407: 'proxy-authentication-required',
    409: conflict,
    410: conflict,
    501: 'operation-unsupported',
  };
  return reasons[status] ?? reasonsByKind[statusMeaning(status)[0]] ?? 'service-failed';
}

/** Statuses of a base URL that is too long or too short. */
const baseUrlStatuses = new Set([404, 405, 501]);

/** Statuses that a wrong clock can cause: tokens and keys expire by the clock of the service. */
const clockStatuses = new Set([401, 403, 410]);

/** Milliseconds that this machine's clock is ahead, if that may be the cause of the error. */
function clockAhead({status, serverTime, headers}: ResponseHead): number | undefined {
  if (!serverTime || !clockStatuses.has(status)) return undefined;
  // Its clock is virtual.
  if (headers[headerNames.sandbox] !== undefined) return undefined;
  const ahead = Date.now() - serverTime.getTime();
  return Math.abs(ahead) < clockTolerance ? undefined : ahead;
}

/** The target of a redirect, without the parts of the URL that may be secret. */
function redirectTarget({status, headers, url}: ResponseHead): string | undefined {
  const location = headers['location'];
  if (status >= 400 || location === undefined || !URL.canParse(location, url.href)) {
    return undefined;
  }
  return plainUrl(new URL(location, url));
}

function detailsOf(context: CallContext, response: ResponseHead): AppError['details'] {
  const suggested = baseUrlStatuses.has(response.status) ? suggestedBaseUrl(context) : undefined;
  const target = redirectTarget(response);
  const ahead = clockAhead(response);
  const {connectorId} = context;
  return {
    origin: response.url.origin,
    baseUrl: plainUrl(context.base),
    ...(connectorId !== undefined && {connectorId: quote(context, connectorId)}),
    ...(suggested !== undefined && {suggestedBaseUrl: suggested}),
    ...(target !== undefined && {redirectTarget: target}),
    ...(ahead !== undefined && {clockAhead: String(ahead)}),
  };
}

/**
 * `Retry-After` in milliseconds from now: seconds or a date (RFC 9110 §10.2.3).
 *
 * @param now by the clock of the service, if it sends one
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/** The service's own words about an error: its message, as the end of ours, its code and its id of the request. */
function quoteError(
  context: CallContext,
  {headers}: ResponseHead,
  {message, code, requestId}: ServiceError,
): {readonly message: string; readonly code?: string; readonly requestId?: string} {
  const id =
    requestId ??
    [headerNames.requestId, ...requestIdHeaders]
      .map((name) => headers[name])
      .find((value) => value !== undefined);
  return {
    message: message === undefined ? '' : `: ${quote(context, message)}`,
    ...(code !== undefined && {code: quote(context, code)}),
    ...(id !== undefined && {requestId: quote(context, id)}),
  };
}

/**
 * Turns a response that is not a success into an error.
 *
 * @param body the text of the response, or its beginning
 */
export function serviceError(
  context: CallContext,
  response: ResponseHead,
  body: string,
): AttemptError {
  const {status, headers} = response;
  const [kind, retryability] = statusMeaning(status);
  const reported = readServiceError(headers['content-type'], body);
  const {message, ...reference} = quoteError(context, response, reported);
  const now = response.serverTime?.getTime() ?? Date.now();
  const retryAfter = readRetryAfter(headers[headerNames.retryAfter], now);
  const title = [String(status), STATUS_CODES[status]].filter(Boolean).join(' ');
  const details = detailsOf(context, response);
  const byStatus =
    'redirectTarget' in details ? 'redirect-not-followed' : reasonByStatus(context, response);
  const error = clientError(
    kind,
    errorMessage(context, `${hostLabel(context, response.url)} returned ${title}${message}`),
    reasonsByCode.get(reported.code) ?? byStatus,
    {...reference, status, retryAfter, details},
  );
  return new AttemptError(error, retryability);
}

/**
 * The error for a response whose status is a success and whose body reports an error. A status of an
 * error in the body decides on the kind.
 */
export function reportedFailure(
  context: CallContext,
  response: ResponseHead,
  reported: ServiceError,
): AppError {
  const status = reported.status ?? 500;
  const title = [response.status, STATUS_CODES[response.status]].join(' ').trim();
  const {message, ...reference} = quoteError(context, response, reported);
  const host = hostLabel(context, response.url);
  return clientError(
    statusMeaning(status)[0],
    errorMessage(context, `${host} reports an error in its ${title} response${message}`),
    reasonsByCode.get(reported.code) ?? reasonByStatus(context, {...response, status}),
    {...reference, status: response.status, details: detailsOf(context, {...response, status})},
  );
}
