import {
  connectorField,
  intervalIn,
  isEvaluated,
  readingOf,
  withStatus,
} from '../client/read/connector.js';
import type {Client} from '../client/types.js';
import {isContradicted, statusByAge} from '../domain/check/heard.js';
import type {JsonObject} from '../domain/json.js';
import {AppError} from '../errors.js';
import {durationFlag} from '../flags.js';
import {requireFieldFor, requireReadable} from './fields/known-names.js';

export const onlineWithinFlag = (dependsOn: readonly string[] = []) =>
  durationFlag({
    dependsOn: [...dependsOn],
    description:
      'online means a heartbeat within this time, by the clock of the service, whatever status it sends',
  });

const purpose = 'evaluate --online-within';

/**
 * A client that replaces the status of each connector by the age of its last heartbeat; see `statusByAge`.
 *
 * @param within in milliseconds; undefined keeps the service's words
 * @param now the service's clock in milliseconds since the Unix epoch
 * @returns a client whose `getConnector` and `listConnectors().all()` throw AppError where no last heartbeat is sent
 */
export function withOnlineWithin(
  client: Client,
  within: number | undefined,
  now: () => number,
): Client {
  if (within === undefined) return client;
  const {status, last_heartbeat_at: heard} = connectorField;
  const evaluated = (raw: JsonObject) =>
    withStatus(
      raw,
      statusByAge(status.read(raw), heard.read(raw)?.getTime() ?? null, {within, now: now()}),
    );
  return {
    ...client,
    listConnectors(options) {
      const list = client.listConnectors(options);
      const all = async () => {
        // The whole list, whatever part is wanted: one connector may lack what others have.
        const connectors = await list.all();
        requireFieldFor(purpose, 'last_heartbeat_at', connectors);
        return connectors.map(evaluated);
      };
      return {...list, all};
    },
    async getConnector(id, options) {
      const {raw} = await client.getConnector(id, options);
      requireReadable(purpose, raw, 'last_heartbeat_at');
      if (heard.read(raw) !== undefined) return readingOf(evaluated(raw));
      // Some services omit it until the first heartbeat, so a wait goes on.
      throw new AppError('unavailable', `Cannot ${purpose}: it has no \`last_heartbeat_at\`.`);
    },
  };
}

/** Whether the service says `online` although the last heartbeat contradicts it; see `isContradicted`. */
export function isOnlineByWordAlone(raw: JsonObject, now: number): boolean {
  const {status, last_heartbeat_at: heard} = connectorField;
  if (isEvaluated(raw) || status.read(raw)?.toLowerCase() !== 'online') return false;
  const at = heard.read(raw)?.getTime();
  return at !== undefined && isContradicted(at, intervalIn(raw), now);
}
