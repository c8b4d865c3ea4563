import {unreadable} from '../client/read/connector.js';
import type {Client, ConnectorReading} from '../client/types.js';
import {AppError} from '../errors.js';
import {type Clock, longestTimer, systemClock} from '../system/clock.js';
import type {Io} from '../terminal/io.js';
import {shownWord} from '../terminal/notices.js';
import {checkStatus} from './fields/known-names.js';

/** Milliseconds from a response to the next request. */
const pollInterval = 1000;

/** The default limit of a wait, in milliseconds. */
const defaultLimit = 60_000;

/**
 * Waits until a connector has a status, compared without regard to case, polling once a second. While the
 * service is unavailable, it keeps polling until the time is up.
 *
 * @throws AppError `unavailable` when the time is up, and a permanent error at once
 */
export async function waitForStatus(
  client: Client,
  id: string,
  {status, limit = defaultLimit}: {readonly status: string; readonly limit?: number | undefined},
  io: Pick<Io, 'progress'>,
  clock: Clock = systemClock,
): Promise<ConnectorReading> {
  const neverAborted = new AbortController().signal;
  const end = clock.now() + limit;
  const left = () => Math.max(end - clock.now(), 0);
  let state = 'no response from its service';
  let failure: AppError | undefined;
  const endLine = io.progress(() => `Waiting for ${id} to be ${status}, ${state} …`);
  try {
    while (left() > 0) {
      const signal = AbortSignal.timeout(Math.min(Math.ceil(left()), longestTimer));
      try {
        const found = await client.getConnector(id, {signal});
        checkStatus(status, found.raw);
        if (found.status?.toLowerCase() === status.toLowerCase()) return found;
        failure = undefined;
        state = stateOf(found);
      } catch (error) {
        const isTransient = error instanceof AppError && error.isTransient;
        if (!isTransient && !signal.aborted) throw error;
        if (isTransient && !signal.aborted) failure = error;
        state = failure?.message ?? state;
      }
      await clock.wait(Math.min(pollInterval, left()), neverAborted);
    }
  } finally {
    endLine();
  }
  const message = `${id} did not become ${status} within ${limit / 1000} s: ${state}`;
  const hint = `Wait longer with --wait-timeout, or check its status: connectorctl connector get ${shownWord(id)}`;
  throw new AppError('unavailable', message, failure ? {...failure} : {hint});
}

function stateOf({status, raw}: ConnectorReading): string {
  if (status !== undefined) return `it is ${status}`;
  return unreadable(raw, 'status') ? 'its status cannot be read' : 'its service returns no status';
}
