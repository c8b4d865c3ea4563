import {exitCodes} from '../errors.js';

/** How a process is told to end: by Ctrl-C, and by whoever started it. */
const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Milliseconds that a process has for leaving in good order once it was told to stop. */
const leaveWithin = 2000;

/**
 * Aborts on the first SIGINT or SIGTERM, which are the ordinary way to end what runs without end.
 * Leaving never waits for a request or for a stuck reader of our output: the process then ends by
 * itself, with 0. A second signal ends it at once.
 */
export function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  const leave = () => {
    stop.abort();
    setTimeout(() => process.exit(exitCodes.ok.code), leaveWithin).unref();
  };
  for (const name of stopSignals) process.once(name, leave);
  return stop.signal;
}

/**
 * Does work that SIGINT and SIGTERM call off, so that it can say what it came to. A second one ends
 * the process at once.
 *
 * @throws as the work does
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const leave = () => {
    for (const name of stopSignals) process.off(name, leave);
    stop.abort();
  };
  for (const name of stopSignals) process.on(name, leave);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of stopSignals) process.off(name, leave);
  }
}
