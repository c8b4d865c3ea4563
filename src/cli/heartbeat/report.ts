import type {AppError} from '../../errors.js';
import {
  acceptedStatus,
  failingStatus,
  renderFailing,
  renderRecovered,
  renderRefusal,
} from '../../render/heartbeat-line.js';
import type {Clock} from '../../system/clock.js';
import {withHint} from '../errors/hints.js';
import {LoopSupervision, type SystemdNotifier} from '../supervision/systemd.js';

/** Milliseconds between two lines about failures: the first pause, doubled after each line. */
const pauses = {first: 60_000, longest: 15 * 60_000} as const;

/**
 * How many request timeouts one iteration of the loop may take: the watchdog must not restart a process whose
 * request ends by its own timeout, so one more is left for reading the response and for a busy machine.
 */
const timeoutsPerTurn = 2;

/** Failures in a row. Times are in milliseconds on the clock. */
interface Outage {
  readonly startedAt: number;
  failures: number;
  isLogged: boolean;
  /** The refusals that are logged, by status and code. */
  readonly refusals: Set<string>;
}

/** Where the report goes. Times are in milliseconds. */
interface ReportOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** The systemd that started this process, if one did. */
  readonly systemd: SystemdNotifier | undefined;
  /** What one iteration may take besides its request. */
  readonly besideRequest: number;
}

/**
 * Reports failing heartbeats: when they start to fail, when they are accepted again, and summaries at growing
 * intervals in between. Intermittent failures do not flood the log either. It tells systemd the same, if that started
 * this process.
 */
export class HeartbeatReport {
  readonly #options: ReportOptions;
  #supervision: LoopSupervision | undefined;
  #outage: Outage | undefined;
  #pause: number = pauses.first;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** The first request is sent. @param timeout milliseconds that one request may take */
  begin(timeout: number): void {
    const {systemd, clock, besideRequest} = this.#options;
    const turnLimit = timeoutsPerTurn * timeout + besideRequest;
    this.#supervision ??= systemd && new LoopSupervision(systemd, clock, turnLimit);
  }

  accepted(id: string, nextIn: number): void {
    this.#supervision?.turn(nextIn, 'accepted', () => acceptedStatus(id, new Date()));
    const outage = this.#outage;
    this.#outage = undefined;
    if (!outage?.isLogged) return;
    const lasted = this.#options.clock.now() - outage.startedAt;
    this.#options.write(renderRecovered(new Date(), {lasted, failures: outage.failures}));
  }

  /** @param lastSuccessAt a time of the clock; undefined before the first success */
  failed(error: AppError, retryIn: number, lastSuccessAt: number | undefined): void {
    const now = this.#options.clock.now();
    const outage = this.#count(error, retryIn);
    if (now < this.#quietUntil) return;
    const isCalm = now - this.#quietUntil > this.#pause;
    if (isCalm && !outage.isLogged) this.#pause = pauses.first;
    const sinceSuccess = lastSuccessAt === undefined ? undefined : now - lastSuccessAt;
    const {failures} = outage;
    this.#options.write(renderFailing(new Date(), error, {failures, retryIn, sinceSuccess}));
    outage.isLogged = true;
    this.#quietUntil = now + this.#pause;
    this.#pause = Math.min(this.#pause * 2, pauses.longest);
  }

  /** Reports each refusal once. */
  refused(error: AppError, retryIn: number): void {
    const outage = this.#count(error, retryIn);
    const refusal = `${error.status} ${error.code}`;
    if (outage.refusals.has(refusal)) return;
    outage.refusals.add(refusal);
    outage.isLogged = true;
    this.#options.write(renderRefusal(new Date(), withHint(error), retryIn));
  }

  #count(error: AppError, retryIn: number): Outage {
    this.#supervision?.turn(retryIn, 'failing', () => failingStatus(error, new Date()));
    const startedAt = this.#options.clock.now();
    this.#outage ??= {startedAt, failures: 0, isLogged: false, refusals: new Set()};
    this.#outage.failures += 1;
    return this.#outage;
  }

  /** Resolves when systemd knows everything. */
  async settled(): Promise<void> {
    await this.#options.systemd?.settled();
  }

  async close(): Promise<void> {
    await this.#supervision?.close();
  }
}
