import type {ServiceResponse} from '../client/messages.js';
import type {Exchange} from './exchange.js';

/**
 * A requirement of a check.
 * `writes`: permission to create tokens and connectors.
 * `second-key`: a key of another organization.
 * `revoked-key`: a key that was revoked.
 */
export type Need = 'writes' | 'second-key' | 'revoked-key';

/** The outcome of a check. */
export interface CheckOutcome {
  readonly status: 'pass' | 'fail' | 'skip' | 'info';
  /** The observation, in a few words. */
  readonly observed: string;
  /** The exchange to show as evidence. */
  readonly exchange?: Exchange | undefined;
}

const outcome =
  (status: CheckOutcome['status']) =>
  (observed: string, exchange?: Exchange): CheckOutcome => ({status, observed, exchange});

export const pass = outcome('pass');
export const fail = outcome('fail');
export const skip = outcome('skip');
export const note = outcome('info');

/** Ends a check with the outcome `skip`: a step that it depends on failed, or exceeds the limits of the run. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
  readonly exchange: Exchange | undefined;

  constructor(message: string, exchange?: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** The response of an exchange. @throws Inconclusive: without one the result is unknown */
export function responseOf(exchange: Exchange): ServiceResponse {
  if (exchange.response !== undefined) return exchange.response;
  throw new Inconclusive(exchange.description, exchange);
}

/** @param what the failed step, such as `no token could be created`. @throws Inconclusive */
export function requireSuccess(exchange: Exchange, what: string): void {
  const refusal = exchange.whyNoSuccess;
  if (refusal !== undefined) throw new Inconclusive(`${what}: ${refusal}`);
}
