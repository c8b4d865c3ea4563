import {endpoints, type Operation} from '../contract/endpoints.js';
import {AppError} from '../errors.js';
import type {Redact} from './redact.js';

/** What every error of one call needs to say where it happened, and what it must not say. */
export interface CallContext {
  readonly operation: Operation;
  /** The id of the connector, for the operations on one. */
  readonly connectorId?: string | undefined;
  /** The service, as its user named it. */
  readonly base: URL;
  readonly hasKey: boolean;
  readonly redact: Redact;
}

/** What each operation was about to do, after "Cannot". */
const purposes = {
  createToken: 'create an activation token',
  activate: 'activate the connector',
  list: 'list the connectors',
  get: 'read connector',
  heartbeat: 'send the heartbeat of connector',
} as const satisfies Record<Operation, string>;

/** Longest text from elsewhere that an error repeats, in UTF-16 code units. */
const longestQuote = 300;

/** A text from elsewhere as an error may show it: no secrets, and not longer than a few lines. */
export function quote(context: CallContext, text: string): string {
  const safe = context.redact(text).trim();
  if (safe.length <= longestQuote) return safe;
  // Not in the middle of a surrogate pair.
  return `${safe.slice(0, longestQuote).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A URL without what may be secret in it: user information, query and fragment. */
export function plainUrl(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** How an error names the host: the service as its user named it, or the other origin that it led to. */
export function hostLabel({base}: CallContext, url: URL): string {
  if (url.origin === base.origin) return plainUrl(base);
  return `${url.origin} (where ${plainUrl(base)} sent the request)`;
}

/** What to do where the address may be wrong. */
export function checkBaseUrl({base}: Pick<CallContext, 'base'>): string | undefined {
  const [prefix = '', rest] = base.pathname.split(endpoints.list.path);
  if (rest === undefined) return undefined;
  return `Leave ${endpoints.list.path} out of the base URL: ${base.origin}${prefix}`;
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
 * @param fault says which field, for instance "`expires_at` is missing"
 * @param said the message that the service sent instead
 * @param hint what to do next, where the base URL is not the likely reason
 */
export function protocolError(
  context: CallContext,
  fault: string,
  said?: string,
  hint = checkBaseUrl(context) ?? 'Check that the base URL is that of a connectors service.',
): AppError {
  const message = said === undefined ? '' : `; it says: ${quote(context, said)}`;
  const reason = `the response of ${plainUrl(context.base)} breaks the interface: ${fault}${message}`;
  return new AppError('protocol', errorMessage(context, reason), {
    hint,
  });
}
