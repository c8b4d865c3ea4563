import {constants} from 'node:os';
import {AppError, type ErrorKind, exitCodes} from '../../errors.js';

/** How a process is asked to end, and the error that a command then ends with. */
const stopSignals = {
  SIGINT: 'cancelled',
  SIGTERM: 'terminated',
} as const satisfies Partial<Record<NodeJS.Signals, ErrorKind>>;

export type StopSignal = keyof typeof stopSignals;

type Taker = (signal: StopSignal) => void;

/** Milliseconds that a process has for leaving in good order once it was told to stop. */
const leaveWithin = 2000;

/** The last one takes the next signal, and that one only. */
let takers: readonly Taker[] = [];
let taken: StopSignal | undefined;

function setTakers(next: readonly Taker[]): void {
  if (next.length > 0 !== takers.length > 0) {
    // Without a listener, a signal ends the process at once.
    const change = next.length > 0 ? 'on' : 'off';
    for (const name of Object.keys(stopSignals)) process[change](name, dispatch);
  }
  takers = next;
}

function dispatch(signal: StopSignal): void {
  const taker = takers.at(-1);
  setTakers(takers.slice(0, -1));
  taken = signal;
  taker?.(signal);
}

/** Has one signal go to `taker`, unless a later taker is there. @returns what ends that */
function take(taker: Taker): () => void {
  setTakers([...takers, taker]);
  return () => setTakers(takers.filter((other) => other !== taker));
}

/**
 * Reports an error when a signal interrupts a command that does not take it itself, and then ends the
 * process as the signal would have.
 */
export function reportInterrupts(report: (error: AppError) => Promise<unknown>): void {
  take(async (signal) => {
    // A second signal of the other kind must not wait for the report either.
    setTakers([]);
    const kind = stopSignals[signal];
    await report(new AppError(kind, `Interrupted by ${signal}.`, {hint: 'Run the command again.'}));
    dieOf(signal);
  });
}

/** Leaves the signals to others: from now on nothing here takes one. */
export function releaseSignals(): void {
  setTakers([]);
}

/**
 * Ends the process. One that failed because of a signal dies of it, so that a shell stops its script too;
 * the shell shows the same code.
 */
export function endProcess(code: number): never {
  if (taken !== undefined && code === exitCodes[stopSignals[taken]].code) dieOf(taken);
  process.exit(code);
}

function dieOf(signal: StopSignal): void {
  setTakers([]);
  // The first process of a container does not die of a signal.
  if (process.platform !== 'win32' && process.pid !== 1) process.kill(process.pid, signal);
  else process.exit(128 + constants.signals[signal]);
}

/**
 * Aborts on the first SIGINT or SIGTERM, which are the ordinary way to end what runs without end.
 * Leaving never waits for a request or for a stuck reader of our output: the process then ends by
 * itself, with 0. A second signal ends it at once.
 */
export function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  releaseSignals();
  take(() => {
    stop.abort();
    setTimeout(() => process.exit(exitCodes.ok.code), leaveWithin).unref();
  });
  return stop.signal;
}

/**
 * Does work that SIGINT and SIGTERM call off, so that it can say what it came to. A second one ends
 * the process at once.
 *
 * @throws as the work does
 */
export async function runInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let kind: ErrorKind = 'cancelled';
  const release = take((signal) => {
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
