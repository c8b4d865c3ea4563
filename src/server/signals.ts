import {once} from 'node:events';
import {constants} from 'node:os';

/** A signal that the service handles. */
type ServeSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

type SignalListener = (signal: ServeSignal) => void;

/** A source of signals, with an immediate exit. */
export interface SignalSource {
  on(signal: ServeSignal, listener: SignalListener): unknown;
  off(signal: ServeSignal, listener: SignalListener): unknown;
  exit(code: number): unknown;
}

/** The signals of a process as the service uses them. */
export interface Signals {
  /** Aborts at the first stop signal. A second stop signal exits the process at once. */
  readonly stopSignal: AbortSignal;
  /** Resolves when `stopSignal` aborts. */
  readonly stopRequested: Promise<unknown>;
  /** Stops handling signals. */
  dispose(): void;
}

/**
 * Handles the signals of a process.
 *
 * @param reload the action on SIGHUP; if undefined, SIGHUP means that the terminal was closed, and stops the service
 *   like the other signals
 */
export function watchSignals(source: SignalSource, reload: (() => void) | undefined): Signals {
  const stop = new AbortController();
  const stopRequested = once(stop.signal, 'abort');
  const onStop: SignalListener = (signal) => {
    if (!stop.signal.aborted) stop.abort();
    // Kernel and shell may both report the loss of the terminal.
    else if (signal !== 'SIGHUP') source.exit(128 + constants.signals[signal]);
  };
  const listeners = {SIGINT: onStop, SIGTERM: onStop, SIGHUP: reload ?? onStop};
  const signals = Object.keys(listeners) as ServeSignal[];
  for (const signal of signals) source.on(signal, listeners[signal]);
  return {
    stopSignal: stop.signal,
    stopRequested,
    dispose() {
      for (const signal of signals) source.off(signal, listeners[signal]);
    },
  };
}
