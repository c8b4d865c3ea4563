import type {Clock} from '../../system/clock.js';
import type {SystemdNotifier} from './systemd.js';

/**
 * Notifies systemd about a loop of attempts. It is ready after the first attempt without a permanent
 * error: an unavailable service must not delay the start of a machine. The watchdog gets keep-alives while
 * the loop runs on time, whatever the service responds: a restart fixes a stuck loop, not the service.
 */
export class LoopSupervision {
  readonly #systemd: SystemdNotifier;
  readonly #clock: Clock;
  readonly #turnLimit: number;
  readonly #stopKeepAlive: () => void;
  #state = 'starting';
  #dueBy: number;

  /** @param turnLimit milliseconds that one iteration of the loop may take, without its pause */
  constructor(systemd: SystemdNotifier, clock: Clock, turnLimit: number) {
    this.#systemd = systemd;
    this.#clock = clock;
    this.#turnLimit = turnLimit;
    this.#dueBy = clock.now() + turnLimit;
    this.#stopKeepAlive = systemd.keepAlive(() => clock.now() <= this.#dueBy, clock);
  }

  /**
   * An iteration has ended.
   *
   * @param pause milliseconds until the next one
   * @param status a line about the state, sent when that begins
   */
  turn(pause: number, state: string, status: () => string): void {
    this.#dueBy = this.#clock.now() + pause + this.#turnLimit;
    if (state === this.#state) return;
    this.#systemd.notify({
      ...(this.#state === 'starting' ? {READY: '1'} : {}),
      STATUS: status(),
    });
    this.#state = state;
  }

  /** Another loop of this process takes over. */
  async handOver(): Promise<void> {
    this.#stopKeepAlive();
    await this.#systemd.settled();
  }

  async close(): Promise<void> {
    this.#systemd.notify({STOPPING: '1'});
    await this.handOver();
  }
}
