import {isHtml, readServiceError, reportedError} from '../client/errors/error-shapes.js';
import type {NetworkFailure} from '../client/errors/network.js';
import {isSuccess, type ServiceResponse} from '../client/messages.js';
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

/** Consecutive timeouts of an operation after which it is not tried again. */
export const mostTimeouts = 2;

export const notSent: NetworkFailure = {
  reason: 'timed-out',
  text: `not sent, because the last ${mostTimeouts} requests of this operation timed out`,
};

/** Maximum bytes of a body that `json` parses, to save memory. */
const longestJson = 1024 * 1024;

/** A request, and what arrived of its response. */
export class Exchange {
  readonly call: SuiteRequest;
  readonly response: ServiceResponse | undefined;
  /** The reason why there is no response, or not the whole body. */
  readonly failure: NetworkFailure | undefined;

  constructor(call: SuiteRequest, response?: ServiceResponse, failure?: NetworkFailure) {
    this.call = call;
    this.response = response;
    this.failure = failure;
  }

  /** Whether a sent request got no response. */
  get isUnanswered(): boolean {
    return this.response === undefined && this.failure !== notSent;
  }

  /** The exchange with a long body cut to its first bytes, for results that stay in memory. */
  get shortened(): Exchange {
    const {call, response, failure} = this;
    if (response === undefined || response.body.length <= longestJson) return this;
    const body = Buffer.from(response.body.subarray(0, 1024));
    return new Exchange(call, {...response, body, isTooLong: true}, failure);
  }

  /** The media type of the response without its parameters, in lower case. */
  get mediaType(): string | undefined {
    return this.response?.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  }

  /** `201, application/json`, or the reason why there is no response or no whole body. */
  get description(): string {
    const {response, failure} = this;
    if (response === undefined) return `no response: ${failure?.text}`;
    const type =
      response.body.length === 0 ? 'an empty body' : (this.mediaType ?? 'no content type');
    return `${response.status}, ${failure?.text ?? type}`;
  }

  /** The JSON of a whole body; undefined for an empty one, for a long one, and for any other text. */
  get json(): Json | undefined {
    const {response, failure} = this;
    if (response === undefined || failure !== undefined || response.isTooLong) return undefined;
    if (response.body.length > longestJson) return undefined;
    return parseJsonOrUndefined(response.body.toString().replace(/^\ufeff/, ''));
  }

  /** Whether the body is an HTML page. */
  get isWebPage(): boolean {
    return isHtml(this.response?.body.toString('utf8', 0, 1024) ?? '');
  }

  /** Whether the response has one of these statuses. */
  #has(...statuses: readonly number[]): boolean {
    return statuses.includes(this.response?.status ?? 0);
  }

  get isRefusedKey(): boolean {
    return this.#has(401, 403);
  }

  /** Whether the service refuses the request only because there were too many requests. */
  get isRateLimited(): boolean {
    return this.#has(429);
  }

  /** Whether a refusal may be about the body of the request. */
  get isRefusedBody(): boolean {
    return this.#has(400, 411, 415, 422);
  }

  /** Whether the request is refused for its key, its path or its method, and so perhaps before its body was read. */
  get isUnread(): boolean {
    return this.#has(401, 403, 404, 405);
  }

  get isClientError(): boolean {
    const {status = 0} = this.response ?? {};
    return status >= 400 && status < 500;
  }

  /**
   * The reason why the exchange is a failure: no response, a broken body, a status other than 2xx, or an error that
   * its body reports. Undefined for a success.
   */
  get whyNoSuccess(): string | undefined {
    const {response, failure, description} = this;
    if (response === undefined || failure !== undefined) return description;
    if (!this.isRefusal) return undefined;
    if (isSuccess(response)) return `${response.status}, but its body reports an error`;
    const {message} = readServiceError(response);
    return message === undefined ? description : `${description}: ${message}`;
  }

  /** Whether the response reports a success. */
  get isSuccess(): boolean {
    return this.whyNoSuccess === undefined;
  }

  /** Whether the service refused the request: with a status other than 2xx, or with an error in the body. */
  get isRefusal(): boolean {
    const {response, call} = this;
    if (response === undefined) return false;
    return !isSuccess(response) || reportedError(this.json, call.operation) !== undefined;
  }
}

/** The reason why no credential of an activation can be sent in a request, or searched for in a list. */
export function credentialLack(exchange: Exchange, credential: string | undefined): string {
  if (isSendable(credential)) return 'the credential is too short to be recognized';
  if (credential !== undefined) return 'the credential has characters that no header can carry';
  const body = exchange.json ?? exchange.response?.body.toString() ?? '';
  if (body === '' || isPublic(body)) return 'an activation returns no credential';
  return `no credential is read from the response to an activation; its names are ${listed(credentialNames.own)}`;
}

/** Names of fields for a message, without those in camel case. */
const listed = (names: readonly string[]) => names.filter((name) => !/[A-Z]/.test(name)).join(', ');

/** The reason why requests about a connector cannot be made. */
export const idLack = `the suite finds no id of a connector; it reads ${listed(connectorNames.id)}`;
