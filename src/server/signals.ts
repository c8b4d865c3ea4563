import {once} from 'node:events';
import {constants} from 'node:os';

/** A signal that the service handles. */
type ServeSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

type SignalListener = (signal: ServeSignal) => void;

/** Where signals come from, and how to exit at once. */
export interface SignalSource {
  on(signal: ServeSignal, listener: SignalListener): unknown;
  off(signal: ServeSignal, listener: SignalListener): unknown;
  exit(code: number): unknown;
}

/** The signals of a process as the service uses them. */
export interface Signals {
  /** Aborts at the first signal to stop; a second one exits at once. */
  readonly stopSignal: AbortSignal;
  /** Resolves when `stopSignal` aborts. */
  readonly stopRequested: Promise<unknown>;
  /** Sets what SIGHUP does, and does it for one that came before. */
  onReload(reload: () => void): void;
  /** Stops handling signals. */
  dispose(): void;
}

/**
 * Handles the signals of a process. SIGHUP reloads if there is something to reload. Otherwise it
 * means that the terminal was closed, and stops the service like the others.
 */
export function watchSignals(source: SignalSource, canReload: boolean): Signals {
  let isReloadDue = false;
  let reload = () => {
    isReloadDue = true;
  };
  const stop = new AbortController();
  const stopRequested = once(stop.signal, 'abort');
  const onStop: SignalListener = (signal) => {
    if (!stop.signal.aborted) stop.abort();
    // Kernel and shell may both report the loss of the terminal.
    else if (signal !== 'SIGHUP') source.exit(128 + constants.signals[signal]);
  };
  const onHangup: SignalListener = canReload ? () => reload() : onStop;
  const listeners = [
    ['SIGINT', onStop],
    ['SIGTERM', onStop],
    ['SIGHUP', onHangup],
  ] as const;
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return {
    stopSignal: stop.signal,
    stopRequested,
    onReload(action) {
      reload = action;
      if (isReloadDue) reload();
    },
    dispose() {
      for (const [signal, listener] of listeners) source.off(signal, listener);
    },
  };
}
