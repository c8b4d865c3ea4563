import type {AppError} from '../../errors.js';
import {renderFailing, renderRecovered, renderRefusal} from '../../render/heartbeat-line.js';
import type {Clock} from '../../system/clock.js';
import {withHint} from '../errors/hints.js';

/** Milliseconds between two lines about failures: the first pause, doubled after each line. */
const pauses = {first: 60_000, longest: 15 * 60_000} as const;

/** Failures in a row. Times are in milliseconds on the clock. */
interface Outage {
  readonly startedAt: number;
  failures: number;
  isLogged: boolean;
  /** The refusals that are logged, by status and code. */
  readonly refusals: Set<string>;
}

/**
 * Logs failing heartbeats: when they start to fail, when they are accepted again, and summaries at growing
 * intervals in between. Intermittent failures do not flood the log either.
 */
export class HeartbeatLog {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  #outage: Outage | undefined;
  #pause: number = pauses.first;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  accepted(): void {
    const outage = this.#outage;
    this.#outage = undefined;
    if (!outage?.isLogged) return;
    const {startedAt, failures} = outage;
    this.#write(renderRecovered(new Date(), {lasted: this.#clock.now() - startedAt, failures}));
  }

  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void {
    const now = this.#clock.now();
    const outage = this.#count(now);
    if (now < this.#quietUntil) return;
    const isCalm = now - this.#quietUntil > this.#pause;
    if (isCalm && !outage.isLogged) this.#pause = pauses.first;
    const sinceSuccess = lastSuccessAt === undefined ? undefined : now - lastSuccessAt;
    this.#write(
      renderFailing(new Date(), error, {failures: outage.failures, retryIn, sinceSuccess}),
    );
    outage.isLogged = true;
    this.#quietUntil = now + this.#pause;
    this.#pause = Math.min(this.#pause * 2, pauses.longest);
  }

  /** Logs each refusal once. */
  refused(error: AppError, retryIn: number): void {
    const outage = this.#count(this.#clock.now());
    const refusal = `${error.status} ${error.code}`;
    if (outage.refusals.has(refusal)) return;
    outage.refusals.add(refusal);
    outage.isLogged = true;
    this.#write(renderRefusal(new Date(), withHint(error), retryIn));
  }

  #count(now: number): Outage {
    this.#outage ??= {startedAt: now, failures: 0, isLogged: false, refusals: new Set()};
    this.#outage.failures += 1;
    return this.#outage;
  }
}
