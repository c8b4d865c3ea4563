import {acceptedStatus, failingStatus} from '../../render/heartbeat-line.js';
import type {Clock} from '../../system/clock.js';
import type {SystemdNotifier} from './systemd.js';

/**
 * Notifies systemd about a heartbeat process. It is ready after the first attempt without a permanent
 * error: an unavailable service must not delay the start of a machine. The watchdog gets keep-alives while
 * the loop runs on time, whatever the service responds: a restart fixes a stuck loop, not the service.
 */
export class HeartbeatSupervision {
  readonly #systemd: SystemdNotifier;
  readonly #id: string;
  readonly #clock: Clock;
  readonly #turnLimit: number;
  readonly #stopKeepAlive: () => void;
  #state: 'starting' | 'accepted' | 'failing' = 'starting';
  #dueBy: number;

  /** @param turnLimit milliseconds that one iteration of the loop may take, without its pause */
  constructor(systemd: SystemdNotifier, id: string, clock: Clock, turnLimit: number) {
    this.#systemd = systemd;
    this.#id = id;
    this.#clock = clock;
    this.#turnLimit = turnLimit;
    this.#dueBy = clock.now() + turnLimit;
    this.#stopKeepAlive = systemd.keepAlive(() => clock.now() <= this.#dueBy, clock);
  }

  accepted(nextIn: number): void {
    this.#turn(nextIn, 'accepted', () => acceptedStatus(this.#id, new Date()));
  }

  failed(error: Error, retryIn: number): void {
    this.#turn(retryIn, 'failing', () => failingStatus(this.#id, error, new Date()));
  }

  async close(): Promise<void> {
    this.#stopKeepAlive();
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
}
