import type {Operation} from '../contract/endpoints.js';
import type {SecretKind} from '../domain/secret.js';
import type {ErrorKind} from '../errors.js';
import {outcomeOf} from './errors/outcomes.js';
import {ClientError, type ClientErrorOptions} from './messages.js';
import type {ClientErrorReason} from './reasons.js';
import {plainUrl, type Redact} from './redact.js';

/** The call that an error is about, and the secrets that the error must not show. */
export interface CallContext {
  readonly operation: Operation;
  /** The connector's id; undefined for an operation without one. */
  readonly connectorId?: string | undefined;
  /** The base URL as the user gave it. */
  readonly base: URL;
  /** The kind of the API key: `other` for a key of another service; undefined without a key. */
  readonly keyKind: SecretKind | 'other' | undefined;
  readonly redact: Redact;
}

/** Properties of an operation besides its endpoint. */
interface Traits {
  /** Follows "Cannot" in an error. */
  readonly purpose: string;
  /** The resource that the operation creates; it may exist even if the response was lost. */
  readonly creates?: 'connector' | 'token';
}

export const traits: Readonly<Record<Operation, Traits>> = {
  createToken: {purpose: 'create an activation token', creates: 'token'},
  activate: {purpose: 'activate the connector', creates: 'connector'},
  list: {purpose: 'list the connectors'},
  get: {purpose: 'read connector'},
  heartbeat: {purpose: 'send the heartbeat of connector'},
};

/** Maximum length of the service's text in an error, in UTF-16 code units. */
const longestQuote = 300;

/** Prepares the service's text for an error: removes secrets and cuts it to `longestQuote`. */
export function quote({redact}: CallContext, text: string): string {
  const safe = redact(text).trim();
  return safe.length <= longestQuote ? safe : `${safe.slice(0, longestQuote)}…`;
}

/** The service's name in an error: the base URL, or the origin that its redirect or link led to. */
export function hostLabel({base}: CallContext, url: URL): string {
  if (url.origin === base.origin) return plainUrl(base);
  return `${url.origin} (where ${plainUrl(base)} sent the request)`;
}

/** An error of a call: "Cannot read connector con_1: …" */
export function callError(
  context: CallContext,
  kind: ErrorKind,
  reason: ClientErrorReason,
  text: string,
  {details, ...options}: ClientErrorOptions,
): ClientError {
  const {operation, connectorId, base} = context;
  const subject = connectorId === undefined ? '' : ` ${quote(context, connectorId)}`;
  const message = `Cannot ${traits[operation].purpose}${subject}: ${text}`;
  return new ClientError(kind, message, reason, {
    ...options,
    details: {baseUrl: plainUrl(base), ...details},
  });
}

/**
 * The error for a 2xx response that breaks the interface. With `body-incomplete`, it allows a retry where that is safe.
 *
 * @param violation for instance "`expires_at` is missing"
 * @param serviceMessage the message in the response, if it has one
 */
export function protocolError(
  context: CallContext,
  violation: string,
  serviceMessage?: string,
  reason: ClientErrorReason = 'response-invalid',
): ClientError {
  const quoted = serviceMessage === undefined ? '' : `; it says: ${quote(context, serviceMessage)}`;
  const text = `the response of ${plainUrl(context.base)} breaks the interface: ${violation}${quoted}`;
  return callError(context, 'protocol', reason, text, {
    isPassing: reason === 'body-incomplete' && outcomeOf(context.operation).isPassing,
    isLost: true,
  });
}
