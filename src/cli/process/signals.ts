import {AppError, exitCodes} from '../../errors.js';
import type {SignalTaker, StopSignal} from '../../terminal/io.js';
import {exit, exitBySignal, exitWithin, stopSignals} from './exit.js';
import type {Lifetime} from './lifetime.js';

const isStopSignal = (name: NodeJS.Signals): name is StopSignal => name in stopSignals;

type Handler = (signal: StopSignal) => void;

const interruption = (signal: StopSignal) =>
  new AppError(stopSignals[signal], `Interrupted by ${signal}.`, {reason: 'cancelled'});

/**
 * The stop signals of one run. The last handler handles the next signal. Node drops a signal that has arrived but was
 * not yet reported when its last listener is removed. So each signal has one listener for the life of the process, and
 * only handlers change.
 */
export class Signals {
  #handlers: readonly Handler[] = [];
  #handled: StopSignal | undefined;
  /** Whether the loss of the terminal is already stopping work: kernel and shell may both report it. */
  #isHungUp = false;
  readonly #stop = new AbortController();
  readonly #beforeExit: () => void;

  /** @param beforeExit called when the time for a clean exit is over */
  constructor(beforeExit: () => void = () => undefined) {
    this.#beforeExit = beforeExit;
  }

  /** Aborts at the signal that ends a command which drains, or finishes its rows. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Handles the signals of this process from now on. @param report reports the interruption of a command */
  listen(report: (error: AppError) => Promise<unknown>): void {
    for (const name of Object.keys(stopSignals) as StopSignal[]) {
      process.on(name, () => this.#take(name));
    }
    this.#handle(async (signal) => {
      // A second signal must not wait for the report.
      this.#handlers = [];
      this.#exitSoon(() => exitBySignal(signal));
      const {kind, message} = interruption(signal);
      await report(new AppError(kind, message, {hint: 'Run the command again.'}));
      exitBySignal(signal);
    });
  }

  /** Handles the signals as a lifetime says. */
  obey(row: Lifetime['signal']): void {
    // INT and TERM are the normal end. After the loss of the terminal it ends in the same way, and dies of the signal.
    if (row === 'drain') {
      const end = () => this.end(exitCodes.ok.code);
      this.#handlers = [(signal) => this.#interrupt(signal, this.#stop, end)];
    }
    // The rows in progress hold tokens: they end, and tell what is open, before the process does.
    if (row === 'finish-rows') this.#handle((signal) => this.#interrupt(signal, this.#stop));
  }

  #take(signal: StopSignal): void {
    if (signal === 'SIGHUP' && this.#isHungUp) return;
    this.#handled = signal;
    (this.#handlers.at(-1) ?? exitBySignal)(signal);
  }

  /** Lets `handler` handle signals, unless a later handler does. @returns a function that removes it */
  #handle(handler: Handler): () => void {
    this.#handlers = [...this.#handlers, handler];
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== handler);
    };
  }

  /** Aborts work. If a request or a stuck reader delays the end, the process ends within a second; a second signal ends it. */
  #interrupt(signal: StopSignal, work: AbortController, end = () => exitBySignal(signal)): void {
    this.#handlers = [];
    this.#exitSoon(end);
    this.#isHungUp = signal === 'SIGHUP';
    work.abort(interruption(signal));
  }

  #exitSoon(end: () => never): void {
    setTimeout(() => {
      this.#beforeExit();
      end();
    }, exitWithin).unref();
  }

  /** See `Io`. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const release = this.#handle((signal) => this.#interrupt(signal, stop));
    const either = AbortSignal.any([this.stop, stop.signal]);
    try {
      return await work(either);
    } catch (error) {
      throw stoppedBy(error, either);
    } finally {
      release();
    }
  }

  /** See `Io`. */
  takeSignals(): SignalTaker {
    const listeners = new Map<StopSignal, Handler>();
    const kept = new Set<StopSignal>();
    this.#handlers = [
      (signal) => {
        const listener = listeners.get(signal);
        if (listener !== undefined) listener(signal);
        else kept.add(signal);
      },
    ];
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
        if (listeners.size === 0) this.#handlers = [];
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
   * Ends the process. After a failure caused by a signal it dies of that signal: a shell then stops its script too, and
   * shows the same code.
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
  // Code that only gets the signal throws an `AbortError` in place of its reason.
  const isAbortion = error instanceof Error && error.name === 'AbortError';
  return isAbortion ? reason : error;
}
