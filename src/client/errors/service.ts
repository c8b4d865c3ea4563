import {STATUS_CODES} from 'node:http';
import {headers as headerNames} from '../../contract/headers.js';
import type {Operation, ProblemCode} from '../../contract/index.js';
import {clockTolerance} from '../../domain/time.js';
import {AppError, type ErrorKind} from '../../errors.js';
import {AttemptError, type Retryability} from '../attempt-error.js';
import {
  type CallContext,
  checkBaseUrl,
  errorMessage,
  hostLabel,
  plainUrl,
  quote,
} from '../context.js';
import type {ResponseHead} from '../messages.js';
import {readServiceError, requestIdHeaders, type ServiceError} from '../read/error-shapes.js';

/** Kind and fate by status; the table in `errors.ts` says which exit code each kind is. */
const statuses: Readonly<Record<number, readonly [ErrorKind, Retryability]>> = {
  401: ['auth', 'final'],
  403: ['auth', 'final'],
  404: ['not_found', 'final'],
  // By these four the service says that it did not handle the request (RFC 9110 §15.5.9, §15.6.4,
  // RFC 8470 §5.2, RFC 6585 §4), so that even a token can be asked for again.
  408: ['unavailable', 'unhandled'],
  425: ['unavailable', 'unhandled'],
  429: ['unavailable', 'unhandled'],
  503: ['unavailable', 'unhandled'],
  409: ['conflict', 'final'],
  410: ['conflict', 'final'],
  // A gateway lost the response of the service behind it: what became of the request is not known.
  502: ['remote', 'unknown'],
  504: ['remote', 'unknown'],
};

function statusMeaning(status: number): readonly [ErrorKind, Retryability] {
  const known = statuses[status];
  if (known) return known;
  // A redirect that must not be followed, or none at all: not a response that the interface knows.
  if (status < 400) return ['protocol', 'final'];
  return [status < 500 ? 'usage' : 'remote', 'final'];
}

const createToken = 'Create a new token with: connectorctl token create';

/** What to do next, by the reference service's codes; other services may use the same. */
const codeHints: Readonly<Partial<Record<ProblemCode, string>>> = {
  token_malformed: 'Copy the activation token again, all of it.',
  token_unknown: `Check the service and the token. ${createToken}`,
  token_used: createToken,
  token_expired: createToken,
  key_malformed: 'Copy the API key again, all of it.',
  key_expired: 'Ask for a new API key.',
  key_revoked: 'Ask for a new API key.',
};

const activationHints: Readonly<Record<number, string>> = {
  401: `Check the activation token. ${createToken}`,
  403: `Check the activation token. ${createToken}`,
  409: createToken,
  410: createToken,
};

function authHint({hasKey}: CallContext): string {
  return hasKey
    ? 'Check the API key, and that it belongs to this service.'
    : 'Give an API key in CONNECTORCTL_API_KEY or with --api-key-file.';
}

const listConnectors = 'See which connectors there are with: connectorctl connector list';
const wrongBase = 'Check the base URL: does it need a path prefix?';

/** What to do next where nothing more exact is known. */
const lastHints: Readonly<Partial<Record<ErrorKind, string>>> = {
  usage: 'Correct what the service refuses; --debug shows what was sent.',
  conflict: 'See how the connectors are with: connectorctl connector list',
  unavailable: 'Try again later, or more often with --retries.',
  remote: 'Try again later; --debug shows what the service answers.',
  protocol: 'Check the base URL; --debug shows what the service answers.',
};

/** What to do next, by operation and status. */
function hintFor(
  context: CallContext,
  {status, url, keyWithheld}: ResponseHead,
): string | undefined {
  const {operation} = context;
  const unauthorized = status === 401 || status === 403;
  if (unauthorized && keyWithheld) {
    return `This came from ${url.origin}, which is not given the API key. If that is the service, make it the base URL.`;
  }
  const byActivation = operation === 'activate' ? activationHints[status] : undefined;
  if (byActivation) return byActivation;
  const onOne: readonly Operation[] = ['get', 'heartbeat'];
  if (unauthorized) return authHint(context);
  const misplaced = [404, 405, 501].includes(status) ? checkBaseUrl(context) : undefined;
  if (misplaced) return misplaced;
  // There is no connector or token that could be in a wrong state.
  if ((status === 409 || status === 410) && !onOne.includes(operation)) return lastHints.remote;
  if (status === 404) return onOne.includes(operation) ? listConnectors : wrongBase;
  if (status === 407) return 'Give the proxy its user name and password in HTTPS_PROXY.';
  if (status === 405 || status === 501) return wrongBase;
  return undefined;
}

/** Answers that a wrong clock may be the reason for. */
const clockStatuses = new Set([401, 403, 410]);

/** Names a wrong clock: tokens and keys expire by the clock of the service. */
function clockHint({status, serverTime}: ResponseHead): string | undefined {
  if (!serverTime || !clockStatuses.has(status)) return undefined;
  const skew = Date.now() - serverTime.getTime();
  if (Math.abs(skew) < clockTolerance) return undefined;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const direction = skew > 0 ? 'ahead of' : 'behind';
  return `The clock of this machine is ${minutes} min ${direction} the service's.`;
}

/** Where a response redirects to, as far as it may be shown. */
function redirectTarget({headers, url}: ResponseHead): string | undefined {
  const location = headers['location'];
  if (location === undefined || !URL.canParse(location, url.href)) return undefined;
  return plainUrl(new URL(location, url));
}

function redirectHint(target: string): string {
  return `It redirects to ${target}. If that is the service, make it the base URL.`;
}

function retryAfterHint(retryAfter: number | undefined): string | undefined {
  if (retryAfter === undefined) return undefined;
  return `It asks to try again in ${Math.ceil(retryAfter / 1000)} s.`;
}

/** `Retry-After` in milliseconds from now: seconds or a date (RFC 9110 §10.2.3). */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

function requestIdOf({headers}: ResponseHead): string | undefined {
  return [headerNames.requestId, ...requestIdHeaders]
    .map((name) => headers[name])
    .find((value) => value !== undefined);
}

function codeHint(code: string | undefined): string | undefined {
  return Object.entries(codeHints).find(([known]) => known === code)?.[1];
}

/**
 * Turns a response that is no success into an error: what the service said, on what, and what to do.
 *
 * @param body the text of the response, or its beginning
 */
export function serviceError(
  context: CallContext,
  response: ResponseHead,
  body: string,
): AttemptError {
  const {status, headers} = response;
  const [kind, fate] = statusMeaning(status);
  const said = readServiceError(headers['content-type'], body);
  const requestId = said.requestId ?? requestIdOf(response);
  const retryAfter = readRetryAfter(headers[headerNames.retryAfter], Date.now());
  const target = status < 400 ? redirectTarget(response) : undefined;
  const hints = [
    codeHint(said.code) ?? hintFor(context, response),
    target && redirectHint(target),
    fate === 'unhandled' ? retryAfterHint(retryAfter) : undefined,
    clockHint(response),
  ];
  const title = [String(status), STATUS_CODES[status]].filter(Boolean).join(' ');
  const message = said.message === undefined ? '' : `: ${quote(context, said.message)}`;
  const error = new AppError(
    kind,
    errorMessage(context, `${hostLabel(context, response.url)} answered ${title}${message}`),
    {
      status,
      code: said.code === undefined ? undefined : quote(context, said.code),
      requestId: requestId === undefined ? undefined : quote(context, requestId),
      retryAfter: fate === 'unhandled' ? retryAfter : undefined,
      hint: hints.filter(Boolean).join(' ') || lastHints[kind],
    },
  );
  return new AttemptError(error, fate, retryAfter);
}

/**
 * The error for a response whose status says success and whose body says the opposite. Where the body
 * repeats the status of an error, that one counts.
 */
export function reportedFailure(
  context: CallContext,
  response: ResponseHead,
  said: ServiceError,
): AppError {
  const [kind] = said.status === undefined ? (['remote'] as const) : statusMeaning(said.status);
  const title = [response.status, STATUS_CODES[response.status]].join(' ').trim();
  const message = said.message === undefined ? '' : `: ${quote(context, said.message)}`;
  const place = hostLabel(context, response.url);
  const requestId = said.requestId ?? requestIdOf(response);
  const hint = said.status && hintFor(context, {...response, status: said.status});
  return new AppError(
    kind,
    errorMessage(context, `${place} reports an error in its ${title} response${message}`),
    {
      status: response.status,
      code: said.code === undefined ? undefined : quote(context, said.code),
      requestId: requestId === undefined ? undefined : quote(context, requestId),
      hint: codeHint(said.code) ?? (hint || lastHints[kind]),
    },
  );
}
