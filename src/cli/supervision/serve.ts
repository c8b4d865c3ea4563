import {systemTicker, type Ticker} from './heartbeat.js';
import type {SystemdNotifier} from './systemd.js';

/**
 * Notifies systemd about `serve`. The watchdog monitors the event loop, not the store: a restart fixes a
 * stuck loop, but does not bring back a database.
 */
export class ServeSupervision {
  readonly #systemd: SystemdNotifier;
  readonly #stopTicker: (() => void) | undefined;

  constructor(systemd: SystemdNotifier, ticker: Ticker = systemTicker) {
    this.#systemd = systemd;
    const {watchdog} = systemd;
    // Half of the interval, as sd_watchdog_enabled(3) recommends.
    this.#stopTicker =
      watchdog === undefined
        ? undefined
        : ticker(watchdog / 2, () => systemd.notify({WATCHDOG: '1'}));
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
    this.#stopTicker?.();
    await this.#systemd.settled();
  }
}
