import type {Operation} from '../../contract/index.js';
import {pauseBefore} from '../../domain/backoff.js';
import type {AppError, ErrorKind} from '../../errors.js';
import type {Clock} from '../../system/clock.js';
import {type CallContext, errorMessage, traits} from '../context.js';
import {AttemptError} from '../messages.js';
import {clientError} from '../reasons.js';
import type {Trace} from './trace.js';

const backoff = {first: 500, longest: 8000, jitter: [1, 1.5]} as const;

/** The longest `Retry-After` to wait for, in milliseconds; with a longer one the call fails at once. */
const longestRetryAfter = 30_000;

function mayRepeat(operation: Operation, {error, retryability}: AttemptError): boolean {
  const {retryAfter = 0} = error;
  if (retryability === 'permanent' || retryAfter > longestRetryAfter) return false;
  return retryability === 'not-processed' || traits[operation].repeatable;
}

/** The kinds of errors that an earlier attempt with a lost response may have caused, or that hide one. */
const uncertainKinds: ReadonlySet<ErrorKind> = new Set([
  'auth',
  'cancelled',
  'remote',
  'conflict',
  'protocol',
  'unavailable',
]);

/** Marks an error after which the connector, or the token, may exist nevertheless. */
export function withUnknownOutcome(error: AppError, mayExist: 'connector' | 'token'): AppError {
  return error.with({outcomeUnknown: true, details: {...error.details, mayExist}});
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
 * @throws AppError for every failure of an attempt
 */
export async function withRetries<T>(
  context: CallContext,
  rules: RetryRules,
  attempt: () => Promise<T>,
): Promise<T> {
  let responseLost = false;
  for (let retried = 0; ; retried += 1) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof AttemptError)) throw failure;
      const {error, retryability} = failure;
      responseLost ||= retryability === 'unknown' || error.outcomeUnknown;
      const withOutcome = (last: AppError) => {
        const created = traits[context.operation].creates;
        const isUncertain = responseLost && uncertainKinds.has(last.kind);
        return isUncertain && created ? withUnknownOutcome(last, created) : last;
      };
      if (retried >= rules.retries || !mayRepeat(context.operation, failure)) {
        throw withOutcome(error);
      }
      const pause = pauseBefore(retried, backoff, rules.random(), error.retryAfter);
      rules.trace?.note(`trying again in ${Math.round(pause)} ms`);
      await rules.clock.wait(pause, rules.signal);
      if (rules.signal?.aborted) {
        const message = errorMessage(context, 'canceled');
        throw withOutcome(clientError('cancelled', message, 'cancelled'));
      }
    }
  }
}
