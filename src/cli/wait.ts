import type {Client, ConnectorReading} from '../client/types.js';
import {AppError} from '../errors.js';
import {systemClock} from './clock.js';

/** Milliseconds between two looks. */
const pollInterval = 1000;

/**
 * Waits until a connector has a status, looking once a second. A service that is away meanwhile is
 * asked again until the time is up.
 *
 * @param wanted the status, compared without regard to case, and the limit in milliseconds
 * @throws AppError `unavailable` when the time is up, and at once what waiting cannot heal
 */
export async function waitForStatus(
  client: Client,
  id: string,
  wanted: {readonly status: string; readonly limit: number},
  clock = systemClock,
): Promise<ConnectorReading> {
  const deadline = clock.now() + wanted.limit;
  const signal = AbortSignal.timeout(wanted.limit);
  let last = 'nothing is known of it';
  while (clock.now() < deadline) {
    try {
      const connector = await client.getConnector(id, {signal});
      if (connector.status?.toLowerCase() === wanted.status.toLowerCase()) return connector;
      last =
        connector.status === undefined
          ? 'its service tells no status'
          : `it is ${connector.status}`;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.kind !== 'unavailable' && error.kind !== 'cancelled') throw error;
      if (error.kind === 'unavailable') last = error.message;
    }
    await clock.wait(Math.min(pollInterval, deadline - clock.now()), signal);
  }
  throw new AppError('unavailable', `${id} did not become ${wanted.status} in time: ${last}.`, {
    hint: 'Wait longer with --wait-timeout, or see when it was last alive: connectorctl connector get ID',
  });
}
