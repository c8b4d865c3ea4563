import {systemClock} from '../../system/clock.js';
import {writeMessage} from '../terminal/streams.js';
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

const variable = 'CONNECTORCTL_PORT';

/**
 * Removes the variable that Kubernetes sets in every pod when there is a Service named `connectorctl`
 * (`tcp://10.96.0.12:4480`): it is not the port to listen on.
 */
export function ignoreServiceLink(env: NodeJS.ProcessEnv): void {
  const value = env[variable];
  if (value === undefined || !/^(tcp|udp|sctp):\/\//i.test(value)) return;
  delete env[variable];
  writeMessage(
    `Warning: ignoring ${variable}=${value}, which Kubernetes sets for a Service named connectorctl. Set enableServiceLinks: false in the pod, or name the port with --port.`,
  );
}
