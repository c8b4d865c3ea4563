import {STATUS_CODES} from 'node:http';
import {headers as headerNames} from '../../contract/headers.js';
import type {ProblemCode} from '../../contract/index.js';
import {clockTolerance} from '../../domain/time.js';
import type {ErrorKind} from '../../errors.js';
import {type CallContext, errorMessage, hostLabel, quote, suggestedBaseUrl} from '../context.js';
import {ClientError, isSuccess, type ResponseHead, type Retryability} from '../messages.js';
import type {ClientErrorReason} from '../reasons.js';
import {plainUrl} from '../redact.js';
import {requestIdHeaders, type ServiceError} from './error-shapes.js';

/** Kind, reason and retryability of an error; `errors.ts` has the exit code of each kind. */
type Meaning = readonly [
  kind: ErrorKind,
  reason: ClientErrorReason | ((call: CallContext, response: ResponseHead) => ClientErrorReason),
  retryability?: Retryability,
];

function refused({operation, hasKey, base}: CallContext, {url}: ResponseHead): ClientErrorReason {
  if (hasKey && url.origin !== base.origin) return 'api-key-withheld';
  if (operation === 'activate') return 'activation-token-rejected';
  return hasKey ? 'api-key-rejected' : 'api-key-missing';
}

function inConflict({operation, connectorId}: CallContext): ClientErrorReason {
  if (operation === 'activate') return 'activation-token-unusable';
  return connectorId ? 'connector-conflict' : 'request-conflict';
}

const statuses: Readonly<Record<number, Meaning>> = {
  401: ['auth', refused],
  403: ['auth', refused],
  404: ['not_found', (call) => (call.connectorId ? 'connector-unknown' : 'route-unknown')],
  405: ['usage', 'operation-unsupported'],
  407: ['usage', 'proxy-authentication-required'],
  409: ['conflict', inConflict],
  410: ['conflict', inConflict],
  501: ['remote', 'operation-unsupported'],
  // With these four the service states that it did not process the request (RFC 9110 §15.5.9,
  // §15.6.4, RFC 8470 §5.2, RFC 6585 §4), so that even the creation of a token may be repeated.
  408: ['unavailable', 'service-unavailable', 'not-processed'],
  425: ['unavailable', 'service-unavailable', 'not-processed'],
  429: ['unavailable', 'service-unavailable', 'not-processed'],
  503: ['unavailable', 'service-unavailable', 'not-processed'],
  // A gateway lost the response of the service behind it, which may have processed the request.
  502: ['remote', 'service-failed', 'unknown'],
  504: ['remote', 'service-failed', 'unknown'],
};

function meaningOf(status: number): Meaning {
  const known = statuses[status];
  if (known) return known;
  // A redirect that must not be followed, or a status that is neither success nor error.
  if (status < 400) return ['protocol', 'status-unexpected'];
  return status < 500 ? ['usage', 'request-rejected'] : ['remote', 'service-failed'];
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

/** Statuses that a wrong clock can cause: tokens and keys expire by the clock of the service. */
const clockStatuses = new Set([401, 403, 410]);

/** Milliseconds that this machine's clock is ahead (negative: behind), if that may be the cause of the error. */
function clockAhead(status: number, {serverTime, headers}: ResponseHead): number | undefined {
  if (!serverTime || !clockStatuses.has(status)) return undefined;
  // A sandbox has a virtual clock.
  if (headers[headerNames.sandbox] !== undefined) return undefined;
  const ahead = Date.now() - serverTime.getTime();
  return Math.abs(ahead) < clockTolerance ? undefined : ahead;
}

/** The target of a redirect, without the parts of the URL that may be secret. */
function redirectTarget(status: number, {headers, url}: ResponseHead): string | undefined {
  const location = headers['location'];
  if (status >= 400 || location === undefined || !URL.canParse(location, url.href)) {
    return undefined;
  }
  return plainUrl(new URL(location, url));
}

/** Milliseconds until the time of `Retry-After`: seconds, or a date by the service's clock (RFC 9110 §10.2.3). */
export function readRetryAfter({headers, serverTime}: ResponseHead): number | undefined {
  const value = headers[headerNames.retryAfter] ?? '';
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  const now = serverTime?.getTime() ?? Date.now();
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * The error that a response reports, classified by its status. In a 2xx response, the status in the body counts, else 500.
 *
 * @param reported the error in the body
 */
export function serviceError(
  context: CallContext,
  response: ResponseHead,
  reported: ServiceError,
): ClientError {
  const {headers, url} = response;
  const isInBody = isSuccess(response);
  const status = isInBody ? (reported.status ?? 500) : response.status;
  const [kind, reason, retryability] = meaningOf(status);
  const byStatus = typeof reason === 'string' ? reason : reason(context, response);
  const target = redirectTarget(status, response);
  const title = [response.status, STATUS_CODES[response.status]].join(' ').trim();
  const says = isInBody ? `reports an error in its ${title} response` : `returned ${title}`;
  const quoted = reported.message === undefined ? '' : `: ${quote(context, reported.message)}`;
  const id = reported.requestId ?? requestIdHeaders.map((name) => headers[name]).find(Boolean);
  return new ClientError(
    kind,
    errorMessage(context, `${hostLabel(context, url)} ${says}${quoted}`),
    reasonsByCode.get(reported.code) ?? (target === undefined ? byStatus : 'redirect-not-followed'),
    {
      status: response.status,
      code: reported.code && quote(context, reported.code),
      requestId: id && quote(context, id),
      retryAfter: readRetryAfter(response),
      retryability: isInBody ? 'permanent' : retryability,
      details: {
        origin: url.origin,
        baseUrl: plainUrl(context.base),
        connectorId: context.connectorId && quote(context, context.connectorId),
        suggestedBaseUrl: suggestedBaseUrl(context),
        redirectTarget: target,
        clockAhead: clockAhead(status, response)?.toString(),
      },
    },
  );
}
