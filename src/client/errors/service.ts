import {STATUS_CODES} from 'node:http';
import {hasVirtualClock, headers as headerNames} from '../../contract/headers.js';
import {clockTolerance} from '../../domain/time.js';
import type {ErrorKind} from '../../errors.js';
import {type CallContext, callError, hostLabel, quote} from '../context.js';
import {type ClientError, isSuccess, type ResponseHead} from '../messages.js';
import {errorNames} from '../names/errors.js';
import {type ClientErrorReason, codeReasons} from '../reasons.js';
import {plainUrl} from '../redact.js';
import type {ServiceError} from './error-shapes.js';
import {outcomeOf} from './outcomes.js';

type ReasonOf = (
  call: CallContext,
  response: ResponseHead,
  reported: ServiceError,
) => ClientErrorReason;

const refused: ReasonOf = ({operation, keyKind, base}, {url}) => {
  if (keyKind && url.origin !== base.origin) return 'api-key-withheld';
  if (operation === 'activate') return 'activation-token-rejected';
  return keyKind ? 'api-key-rejected' : 'api-key-missing';
};

const inConflict: ReasonOf = ({operation, connectorId}) => {
  if (operation === 'activate') return 'activation-token-unusable';
  return connectorId ? 'connector-conflict' : 'request-conflict';
};

/** Some services answer an unknown token with 404. Unless the message mentions a token, the path is unknown. */
const unknown: ReasonOf = ({operation, connectorId}, _, {message = ''}) => {
  if (connectorId) return 'connector-unknown';
  const isToken = operation === 'activate' && /\btoken\b/i.test(message);
  return isToken ? 'activation-token-unknown' : 'route-unknown';
};

type Meaning = readonly [status: RegExp, kind: ErrorKind, reason: ClientErrorReason | ReasonOf];

/** The meanings of statuses. `errors.ts` has the exit code of each kind. The first match wins. */
const meanings: readonly Meaning[] = [
  [/^40[13]$/, 'auth', refused],
  [/^404$/, 'not_found', unknown],
  [/^405$/, 'usage', 'operation-unsupported'],
  [/^407$/, 'usage', 'proxy-authentication-required'],
  [/^(409|410)$/, 'conflict', inConflict],
  [/^501$/, 'remote', 'operation-unsupported'],
  [/^(408|425|429|503)$/, 'unavailable', 'service-unavailable'],
  // A redirect that must not be followed, or a status that is neither success nor error.
  [/^[123]/, 'protocol', 'status-unexpected'],
  [/^4/, 'usage', 'request-rejected'],
];
const otherFailure: Meaning = [/^/, 'remote', 'service-failed'];

/** Milliseconds that this machine's clock is ahead (negative: behind), if that may explain an expired token or key. */
function clockAhead(status: number, {serverTime, headers}: ResponseHead): string | undefined {
  if (!serverTime || hasVirtualClock(headers) || ![401, 403, 410].includes(status))
    return undefined;
  const ahead = Date.now() - serverTime.getTime();
  return Math.abs(ahead) < clockTolerance ? undefined : String(ahead);
}

/** The target of a redirect, without the parts of the URL that may be secret. */
function redirectTarget(status: number, {headers, url}: ResponseHead): string | undefined {
  const {location} = headers;
  const isTarget = status < 400 && location !== undefined && URL.canParse(location, url.href);
  return isTarget ? plainUrl(new URL(location, url)) : undefined;
}

/** Milliseconds until the time of `Retry-After`: seconds, or a date by the service's clock (RFC 9110 §10.2.3). */
export function readRetryAfter({headers, serverTime}: ResponseHead): number | undefined {
  const value = headers[headerNames.retryAfter] ?? '';
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  const now = serverTime?.getTime() ?? Date.now();
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/** The error for an error response, by its status. In a 2xx response, the status in the body counts, else 500. */
export function serviceError(
  context: CallContext,
  response: ResponseHead,
  reported: ServiceError,
): ClientError {
  const {headers, url} = response;
  const isInBody = isSuccess(response);
  const status = isInBody ? (reported.status ?? 500) : response.status;
  const isMatch = ([pattern]: Meaning) => pattern.test(String(status));
  const [, kind, reason] = meanings.find(isMatch) ?? otherFailure;
  const target = redirectTarget(status, response);
  const byStatus = typeof reason === 'string' ? reason : reason(context, response, reported);
  const isRemoved = reported.code === 'key_missing' && byStatus === 'api-key-rejected';
  const byCode = isRemoved
    ? 'api-key-removed'
    : Object.entries(codeReasons).find(([code]) => code === reported.code)?.[1];
  const title = [response.status, STATUS_CODES[response.status]].join(' ').trim();
  const says = isInBody ? `reports an error in its ${title} response` : `returned ${title}`;
  const quoted = reported.message === undefined ? '' : `: ${quote(context, reported.message)}`;
  const text = `${hostLabel(context, url)} ${says}${quoted}`;
  const id =
    reported.requestId ?? errorNames.requestIdHeaders.map((name) => headers[name]).find(Boolean);
  return callError(context, kind, byCode ?? (target ? 'redirect-not-followed' : byStatus), text, {
    status: response.status,
    code: reported.code && quote(context, reported.code),
    requestId: id && quote(context, id),
    retryAfter: readRetryAfter(response),
    ...(isInBody ? {} : outcomeOf(context.operation, status, reported.code)),
    details: {
      origin: url.origin,
      connectorId: context.connectorId && quote(context, context.connectorId),
      keyKind: context.keyKind,
      redirectTarget: target,
      clockAhead: clockAhead(status, response),
    },
  });
}
