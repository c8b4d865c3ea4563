import {withHint} from '../../cli/errors/hints.js';
import type {HeartbeatReading} from '../../client/types.js';
import type {AppError} from '../../errors.js';
import {type Clock, systemClock} from '../../system/clock.js';
import type {SystemdNotifier} from '../../system/systemd.js';
import {jsonLine} from '../../terminal/formats/json.js';
import {blankNotice} from '../../terminal/notices.js';
import type {ConnectionSource} from './flags.js';
import {
  acceptedStatus,
  failingStatus,
  renderFailing,
  renderHeartbeatLine,
  renderRecovered,
  renderRefusal,
  renderShared,
} from './view.js';

/** Minimum milliseconds between two lines about failures. */
const quietFor = 15 * 60_000;

/**
 * Request timeouts that one iteration of the loop may take, besides a check or the wait for a lock: one for the
 * heartbeat, and two to read the connector. The watchdog restarts only a process that takes longer.
 */
export const timeoutsPerTurn = 3;

/** The run that the heartbeats belong to. */
type Run = Pick<ConnectionSource, 'command' | 'flags' | 'io'>;

/** Failures in a row. Times are in milliseconds on the clock. */
interface Outage {
  readonly startedAt: number;
  failures: number;
  isLogged: boolean;
  /** The refusals that are logged, by status and code. */
  readonly refusals: Set<string>;
}

/**
 * Reports each accepted heartbeat on stdout, unless a command owns it, and failing ones on stderr: when they start to
 * fail, when they are accepted again, and summaries in between. Intermittent failures do not flood the log either.
 *
 * It reports its state to systemd, if systemd started this process. A process is ready after its first attempt: an
 * unavailable service must not delay the start of a machine. The watchdog gets keep-alives while the loop runs on time,
 * whatever the service responds: a restart fixes a stuck loop, not the service.
 */
export class HeartbeatReport {
  readonly #systemd: SystemdNotifier | undefined;
  readonly #clock: Clock;
  readonly #run: Run;
  #state: 'accepted' | 'failing' | 'starting' = 'starting';
  #turnLimit = 0;
  #dueBy = Number.NEGATIVE_INFINITY;
  #outage: Outage | undefined;
  /** Milliseconds on the clock; undefined before the first accepted heartbeat. */
  #lastSuccessAt: number | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;

  /** @param systemd a notifier, if systemd started this process */
  constructor(systemd: SystemdNotifier | undefined, run: Run, clock = systemClock) {
    this.#systemd = systemd;
    this.#clock = clock;
    this.#run = run;
    void systemd?.keepAlive(() => clock.now() <= this.#dueBy, clock);
  }

  /** Sets the limit for iterations from now on. @param turnLimit milliseconds for each, without its pause */
  begin(turnLimit: number): void {
    this.#turnLimit = turnLimit;
    this.#dueBy = this.#clock.now() + turnLimit;
  }

  /** An iteration has ended. @param status the status line for systemd, sent only when the state changes */
  #turn(pause: number, state: 'accepted' | 'failing', status: (since: Date) => string): void {
    this.#dueBy = this.#clock.now() + pause + this.#turnLimit;
    if (state === this.#state) return;
    const ready = this.#state === 'starting' ? {READY: '1'} : {};
    this.#systemd?.notify({...ready, STATUS: status(new Date())});
    this.#state = state;
  }

  accepted(id: string, reading: HeartbeatReading, nextIn: number): void {
    const {command, flags, io} = this.#run;
    if (reading.blank) io.noteOnce(`Warning: ${blankNotice(reading.blank)}`);
    const text = io.json ? jsonLine(reading.raw) : renderHeartbeatLine(id, reading, flags.every);
    if (command === undefined) void io.line(text);
    this.#turn(nextIn, 'accepted', (since) => acceptedStatus(id, since));
    const outage = this.#outage;
    this.#outage = undefined;
    this.#lastSuccessAt = this.#clock.now();
    if (!outage?.isLogged) return;
    const lasted = this.#lastSuccessAt - outage.startedAt;
    this.#run.io.error(renderRecovered(new Date(), lasted, outage.failures));
  }

  failed(error: AppError, retryIn: number): void {
    const now = this.#clock.now();
    const outage = this.#count(error, retryIn);
    if (now < this.#quietUntil) return;
    const last = this.#lastSuccessAt;
    const sinceSuccess = last === undefined ? undefined : now - last;
    const {failures} = outage;
    this.#run.io.error(renderFailing(new Date(), error, failures, retryIn, sinceSuccess));
    outage.isLogged = true;
    this.#quietUntil = now + quietFor;
  }

  /** Reports each kind of refusal once per outage. */
  refused(error: AppError, retryIn: number): void {
    const outage = this.#count(error, retryIn);
    const refusal = `${error.status} ${error.code}`;
    if (outage.refusals.has(refusal)) return;
    outage.refusals.add(refusal);
    outage.isLogged = true;
    this.#run.io.error(renderRefusal(new Date(), withHint(error), retryIn));
  }

  /** Another process begins to send heartbeats for the connector, or stops. */
  shared(id: string, isShared: boolean): void {
    const event = {event: 'identity_shared', id, shared: isShared};
    if (this.#run.io.json) void this.#run.io.line(jsonLine(event));
    this.#run.io.error(renderShared(new Date(), id, isShared));
  }

  #count(error: AppError, retryIn: number): Outage {
    this.#turn(retryIn, 'failing', (since) => failingStatus(error, since));
    const startedAt = this.#clock.now();
    this.#outage ??= {startedAt, failures: 0, isLogged: false, refusals: new Set()};
    this.#outage.failures += 1;
    return this.#outage;
  }

  /** Tells systemd that the process ends. */
  async close(): Promise<void> {
    this.#dueBy = Number.NEGATIVE_INFINITY;
    this.#systemd?.notify({STOPPING: '1'});
    await this.#systemd?.settled();
  }
}
