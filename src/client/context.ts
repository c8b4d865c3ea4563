import {endpoints, type Operation} from '../contract/endpoints.js';
import type {AppError} from '../errors.js';
import {type ClientErrorReason, clientError} from './reasons.js';
import type {Redact} from './redact.js';

/** The call that an error is about, and what the error must not show. */
export interface CallContext {
  readonly operation: Operation;
  /** The id of the connector, for the operations on one. */
  readonly connectorId?: string | undefined;
  /** The base URL as the user gave it. */
  readonly base: URL;
  readonly hasKey: boolean;
  readonly redact: Redact;
}

/** The purpose of each operation, after "Cannot". */
const purposes = {
  createToken: 'create an activation token',
  activate: 'activate the connector',
  list: 'list the connectors',
  get: 'read connector',
  heartbeat: 'send the heartbeat of connector',
} as const satisfies Record<Operation, string>;

/** The longest text of a service that an error repeats, in UTF-16 code units. */
const longestQuote = 300;

/** A text of a service as an error may show it: without secrets, and a few lines at most. */
export function quote(context: CallContext, text: string): string {
  const safe = context.redact(text).trim();
  if (safe.length <= longestQuote) return safe;
  // Not in the middle of a surrogate pair.
  return `${safe.slice(0, longestQuote).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A URL without its parts that may be secret: user information, query and fragment. */
export function plainUrl(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** How an error names the host: by the user's base URL, or as the other origin that it led to. */
export function hostLabel({base}: CallContext, url: URL): string {
  if (url.origin === base.origin) return plainUrl(base);
  return `${url.origin} (where ${plainUrl(base)} sent the request)`;
}

/** The base URL as it should be, where the user's includes the path of the interface. */
export function suggestedBaseUrl({base}: CallContext): string | undefined {
  const [prefix = '', rest] = base.pathname.split(endpoints.list.path);
  return rest === undefined ? undefined : `${base.origin}${prefix}`;
}

/** "Cannot read connector con_1: …" */
export function errorMessage(context: CallContext, reason: string): string {
  const subject =
    context.connectorId === undefined ? '' : ` ${quote(context, context.connectorId)}`;
  return `Cannot ${purposes[context.operation]}${subject}: ${reason}`;
}

/**
 * The error for a response that breaks the interface.
 *
 * @param violation for instance "`expires_at` is missing"
 * @param serviceMessage the message that the service sent instead
 */
export function protocolError(
  context: CallContext,
  violation: string,
  serviceMessage?: string,
  reason: ClientErrorReason = 'response-invalid',
): AppError {
  const baseUrl = plainUrl(context.base);
  const suggested = suggestedBaseUrl(context);
  const quoted = serviceMessage === undefined ? '' : `; it says: ${quote(context, serviceMessage)}`;
  return clientError(
    'protocol',
    errorMessage(context, `the response of ${baseUrl} breaks the interface: ${violation}${quoted}`),
    reason,
    {details: {baseUrl, ...(suggested !== undefined && {suggestedBaseUrl: suggested})}},
  );
}
