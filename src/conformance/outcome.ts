import {type Exchange, isRefusal} from './exchange.js';

/**
 * What a check cannot do without.
 * `writes`: permission to create tokens and connectors.
 * `second-key`: a key of another organization.
 * `revoked-key`: a key that was revoked.
 */
export type Need = 'writes' | 'second-key' | 'revoked-key';

/** The outcome of a check that was carried out. */
export interface Outcome {
  readonly status: 'pass' | 'fail' | 'skip' | 'info';
  /** What was observed, as one sentence. */
  readonly observed: string;
  /** The exchange that shows it. */
  readonly exchange?: Exchange | undefined;
}

const outcome =
  (status: Outcome['status']) =>
  (observed: string, exchange?: Exchange): Outcome => ({status, observed, exchange});

export const pass = outcome('pass');
export const fail = outcome('fail');
export const skip = outcome('skip');
export const note = outcome('info');

/** Without a response the result is unknown. */
export const noResponse = (exchange: Exchange): Outcome =>
  skip(`no response: ${exchange.failure}`, exchange);

/** Judges a request that a service has to refuse. @param wrong what was observed if it does not */
export function judgeRefusal(exchange: Exchange, wrong: string): Outcome {
  if (exchange.response === undefined) return noResponse(exchange);
  if (isRefusal(exchange)) return pass(`refused with ${exchange.response.status}`, exchange);
  return fail(wrong, exchange);
}

/** `1 page`, `2 pages`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Thrown by a check that cannot be carried out, because something that it builds on failed. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}
