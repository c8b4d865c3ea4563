import {exitCodes} from '../errors.js';

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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);
  return stop.signal;
}
