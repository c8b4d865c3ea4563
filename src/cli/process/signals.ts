import {existsSync} from 'node:fs';
import {constants} from 'node:os';
import {AppError, type ErrorKind, exitCodes} from '../../errors.js';
import {hasCode} from '../../system/system-error.js';
import type {SignalTaker, StopSignal} from '../../terminal/io.js';
import type {Lifetime} from './lifetime.js';

/** The signals that stop a process, and the error of the stopped command. */
const stopSignals = {
  SIGINT: 'cancelled',
  SIGTERM: 'terminated',
  SIGHUP: 'hung_up',
} as const satisfies Record<StopSignal, ErrorKind>;

type Replaceable = NodeJS.Process & {execve?: (file: string, args: string[], env: object) => void};

/** Milliseconds that a process has for a clean exit after a stop signal: a reader of the output may be stuck. */
export const exitWithin = 900;

/**
 * Exits at once. `process.exit` alone would wait for a DNS lookup: up to 10 s with the usual settings if the name server
 * does not respond. Versions of Node.js without `execve` still wait.
 */
function exit(code: number): never {
  // Node.js has `execve` since 22.15 and 23.11.
  const {execve} = process as Replaceable;
  const shell = '/bin/sh';
  // Registered last, to run after all other listeners.
  process.once('exit', () => {
    const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
    if (isLookingUp && existsSync(shell)) execve?.(shell, ['sh', '-c', `exit ${code}`], {});
  });
  process.exit(code);
}

/** Ends the process by the signal, after the exit listeners, which for instance remove temporary files. */
function exitBySignal(signal: StopSignal): never {
  process.once('exit', () => {
    // In a container, the kernel ignores this signal for process 1.
    if (process.pid !== 1) killBy(signal);
  });
  exit(128 + constants.signals[signal]);
}

/** Ends the process by the signal at once, without its exit listeners. */
function killBy(signal: StopSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Ends the process by SIGHUP if an error (EIO) says that the terminal has gone, perhaps before the signal arrives. A
 * normal exit of Node.js would try to restore the modes of the terminal, and abort.
 */
export function endWithoutTerminal(error: unknown): void {
  if (hasCode(error, 'EIO')) killBy('SIGHUP');
}

const interruption = (signal: StopSignal, options: {hint: string} | {reason: 'cancelled'}) =>
  new AppError(stopSignals[signal], `Interrupted by ${signal}.`, options);

const isStopSignal = (name: NodeJS.Signals): name is StopSignal => name in stopSignals;

type Handler = (signal: StopSignal) => void;

/**
 * The stop signals of one run. Node drops a signal that has arrived but was not yet reported when its last listener is
 * removed. So each signal has one listener for the life of the process, and only the handler changes.
 */
export class Signals {
  #handle: Handler = exitBySignal;
  #row: Lifetime['signal'] | undefined;
  /** Number of tasks in progress that a stop signal aborts. */
  #works = 0;
  #handled: StopSignal | undefined;
  /** Whether a SIGHUP is already stopping work: when a terminal closes, kernel and shell may both send one. */
  #isHungUp = false;
  readonly #stop = new AbortController();

  constructor(row?: Lifetime['signal']) {
    this.#row = row;
  }

  /** Aborts at the first signal that stops work. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Handles the stop signals of this process from now on. Unless `takeSignals` replaces the handler, the process ends
   * within a second of a signal, even if a request or a stuck reader delays it.
   *
   * @param report reports the interruption of a command
   * @param beforeExit called when the time for a clean exit is over
   */
  listen(report: (error: AppError) => Promise<unknown>, beforeExit: () => void): void {
    for (const name of Object.keys(stopSignals) as StopSignal[]) {
      process.on(name, () => {
        if (name === 'SIGHUP' && this.#isHungUp) return;
        this.#handled = name;
        this.#handle(name);
      });
    }
    this.#handle = async (signal) => {
      // A second signal must not wait for the work or the report.
      this.#handle = exitBySignal;
      const isWorking = this.#works > 0;
      const isEnd = this.#row === 'drain' && signal !== 'SIGHUP';
      const end = () => (isEnd ? this.end(exitCodes.ok.code) : exitBySignal(signal));
      // No work is in progress that has to stop first.
      if (isEnd && !isWorking) end();
      setTimeout(() => {
        beforeExit();
        end();
      }, exitWithin).unref();
      if (isWorking) {
        this.#isHungUp = signal === 'SIGHUP';
        this.#stop.abort(interruption(signal, {reason: 'cancelled'}));
        return;
      }
      await report(interruption(signal, {hint: 'Run the command again.'}));
      end();
    };
  }

  /** Applies the signal rule of a lifetime: INT and TERM end `drain` normally, HUP ends the process by the signal. */
  obey(row: Lifetime['signal']): void {
    this.#row = row;
    if (row === 'drain') this.#works += 1;
  }

  /** Whether an error, such as that of a request, only means that a signal stopped a command that normally ends so. */
  isEnd(error: unknown): boolean {
    const stopped = stoppedBy(error, this.stop);
    return (
      this.#row === 'drain' &&
      this.#handled !== undefined &&
      stopped instanceof AppError &&
      stopped.kind === stopSignals[this.#handled]
    );
  }

  /** See `Io`. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work(this.stop);
    } catch (error) {
      throw stoppedBy(error, this.stop);
    } finally {
      this.#works -= 1;
    }
  }

  /** See `Io`. */
  takeSignals(): SignalTaker {
    const listeners = new Map<StopSignal, Handler>();
    const kept = new Set<StopSignal>();
    this.#handle = (signal) => {
      const listener = listeners.get(signal);
      if (listener !== undefined) listener(signal);
      else kept.add(signal);
    };
    return {
      on: (signal: NodeJS.Signals, listener: (signal: never) => void) => {
        if (!isStopSignal(signal)) {
          process.on(signal, listener as () => void);
          return;
        }
        const handler = listener as Handler;
        listeners.set(signal, handler);
        if (kept.delete(signal)) handler(signal);
      },
      off: (signal) => {
        listeners.delete(signal);
        if (listeners.size === 0) this.#handle = exitBySignal;
      },
      note: (signal) => {
        if (isStopSignal(signal)) this.#handled = signal;
      },
      exit,
    };
  }

  /** Whether a stop signal has arrived. */
  get hasStopped(): boolean {
    return this.#handled !== undefined;
  }

  /** Whether an exit code means that the signal that has arrived stopped the command. */
  isExitCode(code: number): boolean {
    return this.#handled !== undefined && code === exitCodes[stopSignals[this.#handled]].code;
  }

  /**
   * Ends the process. After a failure caused by a signal, the process dies by that signal: a shell then stops its script
   * too, and shows the same code.
   */
  end(code: number): never {
    if (this.#isHungUp) exitBySignal('SIGHUP');
    if (this.#handled !== undefined && this.isExitCode(code)) exitBySignal(this.#handled);
    exit(code);
  }
}

/** The error of work, with the kind of the signal that stopped it. */
export function stoppedBy(error: unknown, {aborted, reason}: AbortSignal): unknown {
  if (!aborted) return error;
  if (error instanceof AppError && error.kind === 'cancelled') {
    return error.with({kind: (reason as AppError).kind});
  }
  // Some APIs throw an `AbortError` instead of the reason of the abort signal.
  const isAbortion = error instanceof Error && error.name === 'AbortError';
  return isAbortion ? reason : error;
}
