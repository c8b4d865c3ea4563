import {type Exchange, isRefusal, whyNoSuccess} from './exchange.js';

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

/** How a request that a service has to refuse is judged. */
interface RefusalOptions {
  /** What was observed if it is not refused. */
  readonly wrong: string;
  /** The same request as it is correct: where that is refused too, a refusal proves nothing. */
  readonly accepted: () => Promise<Exchange>;
}

/** Judges a request that a service has to refuse. @throws CannotTell as `accepted` does */
export async function judgeRefusal(
  exchange: Exchange,
  {wrong, accepted}: RefusalOptions,
): Promise<Outcome> {
  const {response} = exchange;
  if (response === undefined) return noResponse(exchange);
  if (!isRefusal(exchange)) return fail(wrong, exchange);
  const {status} = response;
  if (status >= 500)
    return skip(`the service fails with ${status}, so it judged nothing`, exchange);
  const reason = whyNoSuccess(await accepted());
  if (reason === undefined) return pass(`refused with ${status}`, exchange);
  return skip(
    `refused with ${status}, which proves nothing: the correct request fails too (${reason})`,
    exchange,
  );
}

/** The reason to judge nothing by a response that came before the body was read; see `isUnread`. */
export const unread = (status: number): string =>
  `refused with ${status}, which says nothing about the body`;

/** `1 page`, `2 pages`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Thrown by a check that cannot be carried out, because something that it builds on failed. */
export class CannotTell extends Error {
  override readonly name = 'CannotTell';
}
