import {systemClock} from '../../system/clock.js';
import type {SystemdNotifier} from './systemd.js';

/**
 * Notifies systemd about `serve`. The watchdog monitors the event loop, not the store: a restart fixes a
 * stuck loop, but does not bring back a database.
 */
export class ServeSupervision {
  readonly #systemd: SystemdNotifier;
  readonly #stopKeepAlive: () => void;

  constructor(systemd: SystemdNotifier) {
    this.#systemd = systemd;
    this.#stopKeepAlive = systemd.keepAlive(() => true, systemClock);
  }

  /** The service takes requests. */
  ready(url: string): void {
    this.#systemd.notify({READY: '1', STATUS: `Serving ${url}`});
  }

  /** The service takes no more requests and finishes those in flight. */
  stopping(): void {
    this.#systemd.notify({STOPPING: '1', STATUS: 'Finishing the requests in flight'});
  }

  /** Resolves when everything is sent. */
  async close(): Promise<void> {
    this.#stopKeepAlive();
    await this.#systemd.settled();
  }
}
