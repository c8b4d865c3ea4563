import type {Exchange} from './exchange.js';

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

/** `1 page`, `2 pages`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Thrown by a check that cannot be carried out, because something that it builds on failed. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}
