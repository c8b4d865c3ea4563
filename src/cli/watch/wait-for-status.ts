import type {Client, ConnectorReading} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {checkStatus} from '../list-filters.js';
import {type Clock, systemClock} from '../terminal/clock.js';
import {createStatusLine, type StatusLine} from '../terminal/status-line.js';

/** Milliseconds between two looks. */
const pollInterval = 1000;

/** The longest delay that a timer holds, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

const endless = new AbortController().signal;

/** Which status is waited for, compared without regard to case, and how many milliseconds at most. */
export interface Wanted {
  readonly status: string;
  readonly limit: number;
}

/**
 * Waits until a connector has a status, looking once a second. A service that is away meanwhile is
 * asked again until the time is up.
 *
 * @throws AppError `unavailable` when the time is up, and at once what waiting cannot heal
 */
export async function waitForStatus(
  client: Client,
  id: string,
  {status, limit}: Wanted,
  clock: Clock = systemClock,
  line: StatusLine | undefined = createStatusLine(),
): Promise<ConnectorReading> {
  const end = clock.now() + limit;
  const left = () => Math.max(end - clock.now(), 0);
  let state = 'no response from its service';
  const endLine = line?.begin(() => `Waiting for ${id} to be ${status}, ${state} …`);
  try {
    while (left() > 0) {
      const connector = await look(client, id, left());
      if (connector && !(connector instanceof AppError)) checkStatus(status, connector);
      if (connector instanceof AppError) state = connector.message;
      else if (connector?.status?.toLowerCase() === status.toLowerCase()) return connector;
      else if (connector) state = describe(connector);
      await clock.wait(Math.min(pollInterval, left()), endless);
    }
  } finally {
    endLine?.();
  }
  throw new AppError(
    'unavailable',
    `${id} did not become ${status} within ${limit / 1000} s: ${state}`,
    {
      hint: `Wait longer with --wait-timeout, or see what it is: connectorctl connector get ${id}`,
    },
  );
}

/** One look: the connector, a failure that may heal, or undefined when the time is up. */
async function look(
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

function describe({status}: ConnectorReading): string {
  return status === undefined ? 'its service tells no status' : `it is ${status}`;
}
