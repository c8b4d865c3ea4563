import {existsSync} from 'node:fs';
import {constants} from 'node:os';
import {AppError, type ErrorKind, exitCodes} from '../errors.js';

/** The signals that stop a process, and the error of the stopped command. */
const stopSignals = {
  SIGINT: 'cancelled',
  SIGTERM: 'terminated',
  SIGHUP: 'hung_up',
} as const satisfies Partial<Record<NodeJS.Signals, ErrorKind>>;

type StopSignal = keyof typeof stopSignals;

/** Whether a signal is one of those that are handled here. */
export function isStopSignal(name: NodeJS.Signals): name is StopSignal {
  return name in stopSignals;
}

type Handler = (signal: StopSignal) => void;

/** Milliseconds that a process has for a clean exit after a stop signal: a reader of the output may be stuck. */
const exitWithin = 900;

/**
 * The last one handles the next signal. Node drops a signal that has arrived but was not yet reported when its last
 * listener is removed. So each signal has one listener for the life of the process, and only handlers change.
 */
let handlers: readonly Handler[] = [];
let handled: StopSignal | undefined;

/** Whether the loss of the terminal is already stopping work: kernel and shell may both report it. */
let isHungUp = false;

function dispatch(signal: StopSignal): void {
  if (signal === 'SIGHUP' && isHungUp) return;
  handled = signal;
  (handlers.at(-1) ?? exitBySignal)(signal);
}

/** Lets `handler` handle signals, unless a later handler does. @returns a function that removes it */
function handle(handler: Handler): () => void {
  handlers = [...handlers, handler];
  return () => {
    handlers = handlers.filter((other) => other !== handler);
  };
}

/**
 * Handles the signals of this process from now on: reports an error when one interrupts a command that does not
 * handle it, and then ends the process as the signal would.
 */
export function reportInterrupts(report: (error: AppError) => Promise<unknown>): void {
  for (const name of Object.keys(stopSignals)) process.on(name, dispatch);
  handle(async (signal) => {
    // A second signal must not wait for the report.
    handlers = [];
    exitSoon(signal);
    const kind = stopSignals[signal];
    await report(new AppError(kind, `Interrupted by ${signal}.`, {hint: 'Run the command again.'}));
    exitBySignal(signal);
  });
}

/**
 * Lets code with its own listeners, one per signal, handle all signals from now on. Signals that arrive before it
 * listens are kept for it. Once it no longer listens to any, a signal ends the process at once.
 */
export function takeSignals() {
  const listeners = new Map<StopSignal, Handler>();
  const kept = new Set<StopSignal>();
  handlers = [
    (signal) => {
      const listener = listeners.get(signal);
      if (listener !== undefined) listener(signal);
      else kept.add(signal);
    },
  ];
  return {
    on(signal: StopSignal, listener: Handler): void {
      listeners.set(signal, listener);
      if (kept.delete(signal)) listener(signal);
    },
    off(signal: StopSignal): void {
      listeners.delete(signal);
      if (listeners.size === 0) handlers = [];
    },
    /** Lets `endProcess` end the process by a signal that the terminal has sent. */
    note(signal: StopSignal): void {
      handled = signal;
    },
    exit,
  };
}

/**
 * Ends the process. After a failure caused by a signal it dies of that signal: a shell then stops its
 * script too, and shows the same code.
 */
export function endProcess(code: number): never {
  if (handled !== undefined && isSignalExitCode(code)) exitBySignal(handled);
  exit(code);
}

/** Whether an exit code means that a signal stopped the command. */
export function isSignalExitCode(code: number): boolean {
  return handled !== undefined && code === exitCodes[stopSignals[handled]].code;
}

/**
 * Ends the process as the loss of its terminal does, at once. The exit of Node.js would restore the modes of a terminal
 * that is gone, and abort.
 */
export function hangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** The process with the call that replaces it, which Node has from 22.15 on. */
type Replaceable = NodeJS.Process & {
  readonly execve?: (file: string, args: readonly string[], env: object) => void;
};

/**
 * Exits without the wait of `process.exit` for a DNS lookup: without a response from the name server, up to 10 s with
 * the usual settings. Older versions of Node cannot avoid it.
 */
function exit(code: number): never {
  const {execve}: Replaceable = process;
  const shell = '/bin/sh';
  // After the work of all other listeners.
  process.once('exit', () => {
    const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
    if (isLookingUp && existsSync(shell)) execve?.(shell, ['sh', '-c', `exit ${code}`], {});
  });
  process.exit(code);
}

/** Ends the process as the signal would, after its work at each exit, such as removing temporary files. */
function exitBySignal(signal: StopSignal): never {
  process.once('exit', () => {
    // Process 1 of a container does not die of a signal.
    if (process.pid === 1) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  exit(128 + constants.signals[signal]);
}

/** Ends the process as the signal would, unless it ends before by itself. */
function exitSoon(signal: StopSignal): void {
  setTimeout(() => exitBySignal(signal), exitWithin).unref();
}

/**
 * Aborts on the first SIGINT or SIGTERM, the normal way to end a command that runs forever. If a request or a stuck
 * reader of the output delays the exit, the process ends with 0 within a second. A second signal ends it at once, and
 * so does the loss of the terminal.
 */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  handlers = [
    (signal) => {
      if (signal === 'SIGHUP') exitBySignal(signal);
      handlers = [];
      stop.abort();
      setTimeout(() => exit(exitCodes.ok.code), exitWithin).unref();
    },
  ];
  return stop.signal;
}

/**
 * Runs work that a signal aborts, so it can report its outcome. A second signal ends the process at once.
 *
 * @throws what the work throws
 */
export async function runInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let kind: ErrorKind = 'cancelled';
  const release = handle((signal) => {
    release();
    exitSoon(signal);
    isHungUp = signal === 'SIGHUP';
    kind = stopSignals[signal];
    stop.abort(new AppError(kind, `Interrupted by ${signal}.`, {reason: 'cancelled'}));
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'cancelled') throw error.with({kind});
    // Code that only gets the signal throws an `AbortError` in place of its reason.
    const isAbortion = error instanceof Error && error.name === 'AbortError';
    if (isAbortion && stop.signal.aborted) throw stop.signal.reason;
    throw error;
  } finally {
    release();
  }
}
