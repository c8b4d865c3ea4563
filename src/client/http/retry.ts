import {setTimeout as delay} from 'node:timers/promises';
import type {Operation} from '../../contract/index.js';
import type {AppError, ErrorKind} from '../../errors.js';
import {AttemptError} from '../attempt-error.js';
import {type CallContext, errorMessage, traits} from '../context.js';
import {clientError} from '../reasons.js';
import type {Trace} from './trace.js';

/** Waits between attempts; replaceable in tests. */
export interface Timer {
  /** Rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

export const systemTimer: Timer = {
  wait: (milliseconds, signal) => delay(milliseconds, undefined, {signal}),
  random: Math.random,
};

/** The first pause and the longest, in milliseconds. */
const backoff = {first: 500, longest: 8000} as const;

/** The longest `Retry-After` to wait for, in milliseconds; with a longer one the call fails at once. */
const longestRetryAfter = 30_000;

/**
 * The pause before the next attempt, in milliseconds: the service's `Retry-After`, else twice the last
 * one. Up to half of it is added at random, which spreads the attempts of a fleet.
 */
function pause(retried: number, retryAfter: number | undefined, random: number): number {
  const doubled = Math.min(backoff.first * 2 ** retried, backoff.longest);
  const base = retryAfter === undefined ? doubled : Math.max(retryAfter, backoff.first);
  return base + random * Math.min(base, doubled) * 0.5;
}

function mayRepeat(operation: Operation, {retryability, retryAfter = 0}: AttemptError): boolean {
  if (retryability === 'permanent' || retryAfter > longestRetryAfter) return false;
  return retryability === 'not-processed' || traits[operation].repeatable;
}

/** The kinds of errors that an earlier attempt with a lost response may have caused, or that hide one. */
const uncertainKinds: ReadonlySet<ErrorKind> = new Set([
  'auth',
  'cancelled',
  'remote',
  'conflict',
  'unavailable',
]);

/** Marks an error after which the connector, or the token, may exist nevertheless. */
export function withUnknownOutcome(error: AppError, mayExist: 'connector' | 'token'): AppError {
  return error.with({outcomeUnknown: true, details: {...error.details, mayExist}});
}

/** How often to retry, and how to wait. */
interface RetryRules {
  readonly retries: number;
  readonly timer: Timer;
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
      const {error, retryability, retryAfter} = failure;
      responseLost ||= retryability === 'unknown' || error.outcomeUnknown;
      const withOutcome = (last: AppError) => {
        const created = traits[context.operation].creates;
        const isUncertain = responseLost && uncertainKinds.has(last.kind);
        return isUncertain && created ? withUnknownOutcome(last, created) : last;
      };
      if (retried >= rules.retries || !mayRepeat(context.operation, failure)) {
        throw withOutcome(error);
      }
      const isOver = await pauseBefore(rules, pause(retried, retryAfter, rules.timer.random()));
      if (isOver) {
        const message = errorMessage(context, 'cancelled');
        throw withOutcome(clientError('cancelled', message, 'cancelled'));
      }
    }
  }
}

/** Waits before the next attempt; true when the caller cancels meanwhile. */
async function pauseBefore(
  {timer, signal, trace}: RetryRules,
  milliseconds: number,
): Promise<boolean> {
  trace?.note(`trying again in ${Math.round(milliseconds)} ms`);
  return timer.wait(milliseconds, signal).then(
    () => false,
    () => true,
  );
}
