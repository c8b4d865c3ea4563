import {spawn} from 'node:child_process';
import {writeMessage} from '../terminal/streams.js';

/**
 * What is told to systemd, as in sd_notify(3): `READY`, `STATUS`, `STOPPING`, `WATCHDOG`. Values are
 * one line each.
 */
export type NotifyState = Readonly<Record<string, string>>;

/** Runs the program that tells systemd; resolves when it has, rejects with why it could not. */
export type Notifier = (notice: NotifyState) => Promise<void>;

/** Milliseconds that one notice may take. */
const noticeLimit = 10_000;

/**
 * Tells by systemd's own `systemd-notify`: Node cannot write to a datagram socket of the file system
 * itself. It runs as a child, so a unit needs `NotifyAccess=all`. It is given no other variable than
 * it needs, for others may be secrets.
 */
const runSystemdNotify: Notifier = (notice) =>
  new Promise((resolve, reject) => {
    const {PATH, NOTIFY_SOCKET} = process.env;
    const words = Object.entries(notice).map(([name, value]) => `${name}=${value}`);
    const child = spawn('systemd-notify', words, {
      env: {PATH, NOTIFY_SOCKET},
      stdio: 'ignore',
      timeout: noticeLimit,
    });
    child.once('error', ({message}) => reject(new Error(message)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`systemd-notify ended with ${code ?? signal}`));
    });
  });

/**
 * Tells systemd how the process is. Notices go one after another, and what comes while one is on its
 * way goes as one. A notice that cannot be told is no reason to stop; it is said once.
 */
export class SystemdNotifier {
  /** Milliseconds between two signs of life that systemd wants; undefined where it watches for none. */
  readonly watchdog: number | undefined;
  readonly #notifier: Notifier;
  #next: NotifyState | undefined;
  #underWay: Promise<void> | undefined;
  #complained = false;

  constructor(watchdog: number | undefined, notifier: Notifier = runSystemdNotify) {
    this.watchdog = watchdog;
    this.#notifier = notifier;
  }

  notify(notice: NotifyState): void {
    this.#next = {...this.#next, ...notice};
    this.#underWay ??= this.#tell();
  }

  /** Resolves when everything is told. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  async #tell(): Promise<void> {
    for (let notice = this.#next; notice !== undefined; notice = this.#next) {
      this.#next = undefined;
      await this.#notifier(notice).catch((error: Error) => this.#warnOnce(error));
    }
    this.#underWay = undefined;
  }

  #warnOnce({message}: Error): void {
    if (!this.#complained) writeMessage(`Cannot tell systemd how this process is: ${message}`);
    this.#complained = true;
  }
}

/**
 * The systemd that started this process, where it listens: `NOTIFY_SOCKET`, and `WATCHDOG_USEC`
 * (microseconds) unless that is meant for another process (sd_watchdog_enabled(3)).
 */
export function systemdOf(env: NodeJS.ProcessEnv, pid: number): SystemdNotifier | undefined {
  const {NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID} = env;
  if (!NOTIFY_SOCKET) return undefined;
  const watched = Number(WATCHDOG_USEC) > 0 && (!WATCHDOG_PID || Number(WATCHDOG_PID) === pid);
  return new SystemdNotifier(watched ? Number(WATCHDOG_USEC) / 1000 : undefined);
}
