import {counted} from '../domain/words.js';
import {describe, type Exchange, type ProbeResponse, whyNoSuccess} from './exchange.js';

/**
 * A requirement of a check.
 * `writes`: permission to create tokens and connectors.
 * `second-key`: a key of another organization.
 * `revoked-key`: a key that was revoked.
 */
export type Need = 'writes' | 'second-key' | 'revoked-key';

/** The outcome of a check that was carried out. */
export interface CheckOutcome {
  readonly status: 'pass' | 'fail' | 'skip' | 'info';
  /** The observation, as one sentence. */
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

/**
 * The outcome for exchanges that all have to be right.
 *
 * @param none the observation if there is no exchange
 * @param faultOf the fault of an exchange; undefined if it is right
 */
export function evaluateEach(
  exchanges: readonly Exchange[],
  [noun, none]: readonly [noun: string, none: string],
  faultOf: (exchange: Exchange) => string | undefined,
): CheckOutcome {
  const [first] = exchanges;
  if (first === undefined) return skip(none);
  for (const exchange of exchanges) {
    const fault = faultOf(exchange);
    if (fault !== undefined) return fail(fault, exchange);
  }
  return pass(counted(exchanges.length, noun), first);
}

/** The response of an exchange. @throws Inconclusive: without one the result is unknown */
export function responseOf(exchange: Exchange): ProbeResponse {
  if (exchange.response !== undefined) return exchange.response;
  throw new Inconclusive(describe(exchange), exchange);
}

/** @param what the failed step, such as `no token could be created`. @throws Inconclusive */
export function requireSuccess(exchange: Exchange, what: string): void {
  const refusal = whyNoSuccess(exchange);
  if (refusal !== undefined) throw new Inconclusive(`${what}: ${refusal}`);
}

/** The reason why a response proves nothing about a body that was perhaps not read; see `isUnread`. */
export const unread = (status: number): string =>
  `refused with ${status}, which says nothing about the body`;

/** Thrown by a check that cannot be carried out, because a step that it depends on failed. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
  readonly exchange: Exchange | undefined;

  constructor(message: string, exchange?: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}
