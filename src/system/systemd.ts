import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {systemClock} from './clock.js';

/** A notification as in sd_notify(3): `READY`, `STATUS`, `STOPPING`, `WATCHDOG`. Each value is one line. */
export type NotifyState = Readonly<Record<string, string>>;

/** Sends a notification to systemd. */
type Notifier = (state: NotifyState) => Promise<void>;

/** Time limit of one notification, in milliseconds. */
const notifyLimit = 10_000;

/**
 * Runs `systemd-notify`, because Node cannot write to Unix datagram sockets. A child process sends the notification, so
 * the unit needs `NotifyAccess=all`. The child gets only the variables that it needs: others may hold secrets.
 */
const runSystemdNotify: Notifier = async (state) => {
  const {PATH, NOTIFY_SOCKET} = process.env;
  const words = Object.entries(state).map(([name, value]) => `${name}=${value}`);
  const options = {env: {PATH, NOTIFY_SOCKET}, timeout: notifyLimit};
  await promisify(execFile)('systemd-notify', words, options);
};

/** Sends notifications to systemd, one at a time. A failure does not stop the process; it causes one warning. */
export class SystemdNotifier {
  /** The watchdog interval in milliseconds; undefined without a watchdog. */
  readonly watchdog: number | undefined;
  readonly #warn: (message: string) => void;
  readonly #notifier: Notifier;
  #sent: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(
    watchdog: number | undefined,
    warn: (message: string) => void,
    notifier: Notifier = runSystemdNotify,
  ) {
    this.watchdog = watchdog;
    this.#warn = warn;
    this.#notifier = notifier;
  }

  notify(state: NotifyState): void {
    this.#sent = this.#sent
      .then(() => this.#notifier(state))
      .catch((error: Error) => this.#warnOnce(error));
  }

  /** With a watchdog, never resolves: sends it a keep-alive twice per interval while `works` returns true. */
  async keepAlive(works: () => boolean, clock = systemClock): Promise<void> {
    while (this.watchdog !== undefined) {
      // Half of the interval, as sd_watchdog_enabled(3) recommends.
      await clock.wait(this.watchdog / 2);
      if (works()) this.notify({WATCHDOG: '1'});
    }
  }

  /** Resolves when each notification so far was sent or has failed. */
  async settled(): Promise<void> {
    await this.#sent;
  }

  #warnOnce({message}: Error): void {
    if (!this.#hasWarned) this.#warn(`Cannot notify systemd: ${message}`);
    this.#hasWarned = true;
  }
}

/**
 * A notifier for the systemd that started this process; undefined without `NOTIFY_SOCKET`. It ignores a `WATCHDOG_USEC`
 * (microseconds) that is meant for another process (sd_watchdog_enabled(3)).
 */
export function systemdOf(
  {env, pid}: Pick<NodeJS.Process, 'env' | 'pid'>,
  warn: (message: string) => void,
): SystemdNotifier | undefined {
  const {NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID} = env;
  if (!NOTIFY_SOCKET) return undefined;
  const watched = Number(WATCHDOG_USEC) > 0 && (!WATCHDOG_PID || Number(WATCHDOG_PID) === pid);
  return new SystemdNotifier(watched ? Number(WATCHDOG_USEC) / 1000 : undefined, warn);
}
