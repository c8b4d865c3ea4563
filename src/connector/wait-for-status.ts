import {unreadable} from '../client/read/connector.js';
import type {Client, ConnectorReading} from '../client/types.js';
import {AppError} from '../errors.js';
import {type Clock, longestTimer, systemClock} from '../system/clock.js';
import type {Io} from '../terminal/io.js';
import {shownWord} from '../terminal/notices.js';
import {checkStatus} from './fields/known-names.js';

/** Milliseconds between two requests. */
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
  let last: string | AppError = 'no response from its service';
  const state = () => (last instanceof AppError ? last.message : last);
  const endLine = io.progress(() => `Waiting for ${id} to be ${status}, ${state()} …`);
  try {
    while (left() > 0) {
      const found = await poll(client, id, left());
      if (found instanceof AppError) last = found;
      else if (found !== undefined) {
        checkStatus(status, found.raw);
        if (found.status?.toLowerCase() === status.toLowerCase()) return found;
        const {status: now} = found;
        last = now === undefined ? noStatus(found) : `it is ${now}`;
      }
      await clock.wait(Math.min(pollInterval, left()), neverAborted);
    }
  } finally {
    endLine();
  }
  const message = `${id} did not become ${status} within ${limit / 1000} s: ${state()}`;
  if (last instanceof AppError) throw new AppError('unavailable', message, {...last});
  throw new AppError('unavailable', message, {
    hint: `Wait longer with --wait-timeout, or see its state: connectorctl connector get ${shownWord(id)}`,
  });
}

const noStatus = ({raw}: ConnectorReading) =>
  unreadable(raw, 'status') ? 'its status cannot be read' : 'its service returns no status';

/** One request: the connector, a transient error, or undefined when the time is up. */
async function poll(
  client: Client,
  id: string,
  limit: number,
): Promise<ConnectorReading | AppError | undefined> {
  const signal = AbortSignal.timeout(Math.min(Math.ceil(limit), longestTimer));
  try {
    return await client.getConnector(id, {signal});
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof AppError && error.isTransient) return error;
    throw error;
  }
}
