import {spawn} from 'node:child_process';
import {type Clock, systemClock} from '../../system/clock.js';
import {writeMessage} from '../terminal/streams.js';

/** A notification as in sd_notify(3): `READY`, `STATUS`, `STOPPING`, `WATCHDOG`. Values are one line. */
export type NotifyState = Readonly<Record<string, string>>;

/** Sends a notification to systemd. */
type Notifier = (state: NotifyState) => Promise<void>;

/** Milliseconds that one notification may take. */
const notifyLimit = 10_000;

/**
 * Runs `systemd-notify`, because Node cannot write to Unix datagram sockets. It is a child process, so a
 * unit needs `NotifyAccess=all`. It gets only the variables that it needs: others may hold secrets.
 */
const runSystemdNotify: Notifier = (state) =>
  new Promise((resolve, reject) => {
    const {PATH, NOTIFY_SOCKET} = process.env;
    const words = Object.entries(state).map(([name, value]) => `${name}=${value}`);
    const child = spawn('systemd-notify', words, {
      env: {PATH, NOTIFY_SOCKET},
      stdio: 'ignore',
      timeout: notifyLimit,
    });
    child.once('error', ({message}) => reject(new Error(message)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`systemd-notify ended with ${code ?? signal}`));
    });
  });

/**
 * Sends notifications to systemd, one at a time; those that arrive meanwhile are merged into one. A
 * failure does not stop the process; it is reported once.
 */
export class SystemdNotifier {
  /** The watchdog interval in milliseconds; undefined without a watchdog. */
  readonly watchdog: number | undefined;
  readonly #notifier: Notifier;
  #next: NotifyState | undefined;
  #sending: Promise<void> | undefined;
  #hasWarned = false;

  constructor(watchdog: number | undefined, notifier: Notifier = runSystemdNotify) {
    this.watchdog = watchdog;
    this.#notifier = notifier;
  }

  notify(state: NotifyState): void {
    this.#next = {...this.#next, ...state};
    this.#sending ??= this.#send();
  }

  /**
   * Sends keep-alives to the watchdog, if there is one, as long as the process works.
   *
   * @returns a function that stops them
   */
  keepAlive(works: () => boolean, clock = systemClock): () => void {
    const stop = new AbortController();
    const sendAlways = async (watchdog: number) => {
      while (!stop.signal.aborted) {
        // Half of the interval, as sd_watchdog_enabled(3) recommends.
        await clock.wait(watchdog / 2, stop.signal);
        if (!stop.signal.aborted && works()) this.notify({WATCHDOG: '1'});
      }
    };
    if (this.watchdog !== undefined) void sendAlways(this.watchdog);
    return () => stop.abort();
  }

  /** Resolves when everything is sent. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let state = this.#next; state !== undefined; state = this.#next) {
      this.#next = undefined;
      await this.#notifier(state).catch((error: Error) => this.#warnOnce(error));
    }
    this.#sending = undefined;
  }

  #warnOnce({message}: Error): void {
    if (!this.#hasWarned) writeMessage(`Cannot notify systemd: ${message}`);
    this.#hasWarned = true;
  }
}

/**
 * A notifier for the systemd that started this process; undefined without `NOTIFY_SOCKET`. It ignores
 * `WATCHDOG_USEC` (microseconds) for another process (sd_watchdog_enabled(3)).
 */
export function systemdOf(env: NodeJS.ProcessEnv, pid: number): SystemdNotifier | undefined {
  const {NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID} = env;
  if (!NOTIFY_SOCKET) return undefined;
  const watched = Number(WATCHDOG_USEC) > 0 && (!WATCHDOG_PID || Number(WATCHDOG_PID) === pid);
  return new SystemdNotifier(watched ? Number(WATCHDOG_USEC) / 1000 : undefined);
}

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
    const ready = this.#state === 'starting' ? {READY: '1'} : {};
    this.#systemd.notify({...ready, STATUS: status()});
    this.#state = state;
  }

  async close(): Promise<void> {
    this.#systemd.notify({STOPPING: '1'});
    this.#stopKeepAlive();
    await this.#systemd.settled();
  }
}
