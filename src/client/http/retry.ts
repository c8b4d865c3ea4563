import {pauseBefore} from '../../domain/backoff.js';
import type {AppError, ErrorKind} from '../../errors.js';
import type {Clock} from '../../system/clock.js';
import {type CallContext, traits} from '../context.js';
import {ClientError} from '../messages.js';
import type {Trace} from './trace.js';

const backoff = {first: 500, longest: 8000, jitter: [1, 1.5]} as const;

/** The longest `Retry-After` to wait for, in milliseconds; with a longer one the call fails at once. */
const longestRetryAfter = 30_000;

/** Whether the request may be sent again: it was not processed, or does no harm when it is processed twice. */
function mayRepeat({operation}: CallContext, {retryability, retryAfter = 0}: ClientError): boolean {
  if (retryability === 'permanent' || retryAfter > longestRetryAfter) return false;
  return retryability === 'not-processed' || traits[operation].repeatable;
}

/** Kinds of refusals which show that no earlier attempt was carried out. */
const certainKinds: ReadonlySet<ErrorKind> = new Set(['usage', 'not_found']);

/** The error of a call that lost a response: the connector, or the token, may exist nevertheless. */
function withUnknownOutcome({operation}: CallContext, error: AppError): AppError {
  const {creates} = traits[operation];
  if (creates === undefined || certainKinds.has(error.kind)) return error;
  return error.with({outcomeUnknown: true, details: {...error.details, mayExist: creates}});
}

/** The number of retries, and the pauses between them. */
interface RetryRules {
  readonly retries: number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
  readonly trace: Trace | undefined;
}

/**
 * Makes attempts until one succeeds, cannot be repeated, or `retries` repetitions are used up.
 *
 * @param attempt fails at once when the signal is aborted
 * @throws AppError for every failure of an attempt
 */
export async function withRetries<T>(
  context: CallContext,
  {retries, clock, random, signal, trace}: RetryRules,
  attempt: () => Promise<T>,
): Promise<T> {
  let isResponseLost = false;
  for (let retried = 0; ; retried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      isResponseLost ||= error.retryability === 'unknown' || error.outcomeUnknown;
      if (retried >= retries || signal?.aborted || !mayRepeat(context, error)) {
        throw isResponseLost ? withUnknownOutcome(context, error) : error;
      }
      const pause = pauseBefore(retried, backoff, random(), error.retryAfter);
      trace?.note(`trying again in ${Math.round(pause)} ms`);
      await clock.wait(pause, signal);
    }
  }
}
