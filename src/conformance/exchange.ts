import {isHtml, readServiceError, reportedError} from '../client/errors/error-shapes.js';
import type {NetworkFailure} from '../client/errors/network.js';
import {isSuccess as isStatusOfSuccess, type ServiceResponse} from '../client/messages.js';
import {connectorNames, credentialNames} from '../client/names/connectors.js';
import {parseJsonOrUndefined} from '../client/read/json.js';
import {isPublic} from '../client/read/responses.js';
import {isSendable} from '../client/settings.js';
import type {Operation} from '../contract/endpoints.js';
import type {Json} from '../domain/json.js';

/** A request of the suite. */
export interface SuiteRequest {
  readonly method: string;
  readonly url: URL;
  readonly operation: Operation;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request, and what arrived of its response. */
export interface Exchange {
  readonly call: SuiteRequest;
  readonly response: ServiceResponse | undefined;
  /** The reason why there is no response, or not the whole body. */
  readonly failure: NetworkFailure | undefined;
}

/** Consecutive timeouts of an operation after which it is not tried again. */
export const mostTimeouts = 2;

export const notSent: NetworkFailure = {
  reason: 'timed-out',
  text: `not sent, because the last ${mostTimeouts} requests of this operation timed out`,
};

/** Whether a sent request got no response. */
export const isUnanswered = ({response, failure}: Exchange): boolean =>
  response === undefined && failure !== notSent;

/** Maximum bytes of a body that is parsed; the limit saves memory. */
const longestJson = 1024 * 1024;

/** The exchange with a long body cut to its first bytes, for results that stay in memory. */
export function shortened(exchange: Exchange): Exchange {
  const {response} = exchange;
  if (response === undefined || response.body.length <= longestJson) return exchange;
  const body = Buffer.from(response.body.subarray(0, 1024));
  return {...exchange, response: {...response, body, isTooLong: true}};
}

/** The media type of a response without its parameters, in lower case. */
export function mediaType({headers}: ServiceResponse): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** `201, application/json`, or the reason why there is no response or no whole body. */
export function describe({response, failure}: Exchange): string {
  if (response === undefined) return `no response: ${failure?.text}`;
  const {status, body} = response;
  const type = body.length === 0 ? 'an empty body' : (mediaType(response) ?? 'no content type');
  return `${status}, ${failure?.text ?? type}`;
}

/** The JSON of a whole body; undefined for an empty one, for a long one, and for any other text. */
export function jsonOf({response, failure}: Exchange): Json | undefined {
  if (response === undefined || failure !== undefined || response.isTooLong) return undefined;
  if (response.body.length > longestJson) return undefined;
  return parseJsonOrUndefined(response.body.toString().replace(/^\ufeff/, ''));
}

/** The reason why no credential of an activation can be sent in a request, or searched for in a list. */
export function credentialLack(exchange: Exchange, credential: string | undefined): string {
  if (isSendable(credential)) return 'the credential is too short to be recognized';
  if (credential !== undefined) return 'the credential has characters that no header can carry';
  const body = jsonOf(exchange) ?? exchange.response?.body.toString() ?? '';
  if (body === '' || isPublic(body)) return 'an activation returns no credential';
  return `no credential is read from the response to an activation; its names are ${listed(credentialNames.own)}`;
}

/** Names of fields for a message, without those in camel case. */
const listed = (names: readonly string[]) => names.filter((name) => !/[A-Z]/.test(name)).join(', ');

/** The reason why requests about a connector cannot be made. */
export const idLack = `the suite finds no id of a connector; it reads ${listed(connectorNames.id)}`;

/** Whether the body is an HTML page. */
export function isWebPage({body}: ServiceResponse): boolean {
  return isHtml(body.toString('utf8', 0, 1024));
}

/** Whether the response has one of these statuses. */
const hasStatus =
  (...statuses: readonly number[]) =>
  ({response}: Exchange) =>
    statuses.includes(response?.status ?? 0);

export const isRefusedKey = hasStatus(401, 403);

/** Whether the service refuses a request only because there were too many requests. */
export const isRateLimited = hasStatus(429);

/** Whether a refusal may be about the body of the request. */
export const isRefusedBody = hasStatus(400, 411, 415, 422);

/** Whether a request is refused for its key, its path or its method, and so perhaps before its body was read. */
export const isUnread = hasStatus(401, 403, 404, 405);

export function isClientError({response}: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500;
}

/**
 * The reason why an exchange is a failure: no response, a broken body, another status than 2xx, or an error that
 * its body reports. Undefined for a success.
 */
export function whyNoSuccess(exchange: Exchange): string | undefined {
  const {response, failure} = exchange;
  if (response === undefined || failure !== undefined) return describe(exchange);
  if (!isRefusal(exchange)) return undefined;
  if (isStatusOfSuccess(response)) return `${response.status}, but its body reports an error`;
  const {message} = readServiceError(response);
  return message === undefined ? describe(exchange) : `${describe(exchange)}: ${message}`;
}

/** Whether the response reports a success. */
export function isSuccess(exchange: Exchange): boolean {
  return whyNoSuccess(exchange) === undefined;
}

/** Whether the service refused the request: with another status than 2xx, or with an error in the body. */
export function isRefusal(exchange: Exchange): boolean {
  const {response, call} = exchange;
  if (response === undefined) return false;
  if (!isStatusOfSuccess(response)) return true;
  return reportedError(jsonOf(exchange), call.operation) !== undefined;
}
