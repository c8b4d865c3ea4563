import {acceptedStatus, failingStatus} from '../../render/heartbeat-line.js';
import type {Clock} from '../terminal/clock.js';
import type {SystemdNotifier} from './systemd.js';

/** Calls back again and again, so many milliseconds apart, until what it returns is called. */
export type Ticker = (milliseconds: number, callback: () => void) => () => void;

export const systemTicker: Ticker = (milliseconds, callback) => {
  const timer = setInterval(callback, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * What systemd is told of a heartbeat process. Ready: the first heartbeat was tried and not refused
 * for good; a service that is away does not hold up the start of a machine. The watchdog gets its
 * signs of life as long as the loop comes round in time, whatever the service answers: starting
 * again would not mend the service, but it does mend a loop that is stuck.
 */
export class HeartbeatSupervision {
  readonly #systemd: SystemdNotifier;
  readonly #id: string;
  readonly #clock: Clock;
  readonly #turnLimit: number;
  readonly #stopTicker: (() => void) | undefined;
  #state: 'starting' | 'accepted' | 'failing' = 'starting';
  #dueBy: number;

  /** @param turnLimit milliseconds that one turn of the loop may take beside its pause */
  constructor(
    systemd: SystemdNotifier,
    id: string,
    clock: Clock,
    turnLimit: number,
    ticker = systemTicker,
  ) {
    this.#systemd = systemd;
    this.#id = id;
    this.#clock = clock;
    this.#turnLimit = turnLimit;
    this.#dueBy = clock.now() + turnLimit;
    const {watchdog} = systemd;
    // Half of the time, as sd_watchdog_enabled(3) recommends.
    this.#stopTicker =
      watchdog === undefined ? undefined : ticker(watchdog / 2, () => this.#tellAlive());
  }

  accepted(nextIn: number | undefined): void {
    this.#turn(nextIn ?? 0, 'accepted', () => acceptedStatus(this.#id, new Date()));
  }

  failed(error: Error, retryIn: number): void {
    this.#turn(retryIn, 'failing', () => failingStatus(this.#id, error, new Date()));
  }

  async close(): Promise<void> {
    this.#stopTicker?.();
    this.#systemd.notify({STOPPING: '1'});
    await this.#systemd.settled();
  }

  #turn(pause: number, state: 'accepted' | 'failing', status: () => string): void {
    this.#dueBy = this.#clock.now() + pause + this.#turnLimit;
    if (state === this.#state) return;
    this.#systemd.notify({
      ...(this.#state === 'starting' ? {READY: '1'} : {}),
      STATUS: status(),
    });
    this.#state = state;
  }

  #tellAlive(): void {
    if (this.#clock.now() <= this.#dueBy) this.#systemd.notify({WATCHDOG: '1'});
  }
}
