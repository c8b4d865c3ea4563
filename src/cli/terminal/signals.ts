import {constants} from 'node:os';
import {AppError, type ErrorKind, exitCodes} from '../../errors.js';

/** The signals that stop a process, and the error of the stopped command. */
const stopSignals = {
  SIGINT: 'cancelled',
  SIGTERM: 'terminated',
} as const satisfies Partial<Record<NodeJS.Signals, ErrorKind>>;

type StopSignal = keyof typeof stopSignals;

type Handler = (signal: StopSignal) => void;

/** Milliseconds that a process has for a clean exit after a stop signal. */
const exitWithin = 2000;

/** The last one handles the next signal, and only that one. */
let handlers: readonly Handler[] = [];
let handled: StopSignal | undefined;

function setHandlers(next: readonly Handler[]): void {
  if (next.length > 0 !== handlers.length > 0) {
    // Without a listener, a signal ends the process at once.
    const change = next.length > 0 ? 'on' : 'off';
    for (const name of Object.keys(stopSignals)) process[change](name, dispatch);
  }
  handlers = next;
}

function dispatch(signal: StopSignal): void {
  const handler = handlers.at(-1);
  setHandlers(handlers.slice(0, -1));
  handled = signal;
  handler?.(signal);
}

/** Lets `handler` handle one signal, unless a later handler does. @returns a function that removes it */
function handle(handler: Handler): () => void {
  setHandlers([...handlers, handler]);
  return () => setHandlers(handlers.filter((other) => other !== handler));
}

/**
 * Reports an error when a signal interrupts a command that does not handle it, and then ends the process
 * as the signal would.
 */
export function reportInterrupts(report: (error: AppError) => Promise<unknown>): void {
  handle(async (signal) => {
    // A second signal of the other kind must not wait for the report either.
    setHandlers([]);
    const kind = stopSignals[signal];
    await report(new AppError(kind, `Interrupted by ${signal}.`, {hint: 'Run the command again.'}));
    exitBySignal(signal);
  });
}

/** Stops handling signals here, for code that handles them itself. */
export function releaseSignals(): void {
  setHandlers([]);
}

/**
 * Ends the process. After a failure caused by a signal it dies of that signal: a shell then stops its
 * script too, and shows the same code.
 */
export function endProcess(code: number): never {
  if (handled !== undefined && isSignalExitCode(code)) exitBySignal(handled);
  process.exit(code);
}

/** Whether an exit code is that of a command that a signal stopped. */
export function isSignalExitCode(code: number): boolean {
  return handled !== undefined && code === exitCodes[stopSignals[handled]].code;
}

/** Ends the process as the signal would. */
export function exitBySignal(signal: StopSignal): void {
  setHandlers([]);
  // Process 1 of a container does not die of a signal.
  if (process.platform !== 'win32' && process.pid !== 1) process.kill(process.pid, signal);
  else process.exit(128 + constants.signals[signal]);
}

/**
 * Aborts on the first SIGINT or SIGTERM, the normal way to end a command that runs forever. The exit does
 * not wait long for a request or a stuck reader of the output: the process then ends with 0. A second
 * signal ends it at once.
 */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  releaseSignals();
  handle(() => {
    stop.abort();
    setTimeout(() => process.exit(exitCodes.ok.code), exitWithin).unref();
  });
  return stop.signal;
}

/**
 * Runs work that SIGINT and SIGTERM abort, so it can report its outcome. A second signal ends the process
 * at once.
 *
 * @throws what the work throws
 */
export async function runInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let kind: ErrorKind = 'cancelled';
  const release = handle((signal) => {
    kind = stopSignals[signal];
    stop.abort();
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'cancelled') throw error.with({kind});
    throw error;
  } finally {
    release();
  }
}

/**
 * Runs work that the loss of the terminal (SIGHUP) stops as SIGTERM does. Kernel and shell both may report it:
 * the second report is ignored.
 *
 * @throws what the work throws
 */
export async function stopOnHangUp<T>(work: () => Promise<T>): Promise<T> {
  let isStopping = false;
  const stop = () => {
    if (!isStopping) dispatch('SIGTERM');
    isStopping = true;
  };
  process.on('SIGHUP', stop);
  try {
    return await work();
  } finally {
    process.off('SIGHUP', stop);
  }
}
