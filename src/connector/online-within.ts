import {forms} from '../client/names/times.js';
import {
  connectorField,
  hasZeroTime,
  heartbeatNames,
  intervalIn,
  isEvaluated,
  reader,
  readingOf,
  withStatus,
} from '../client/read/connector.js';
import type {Client, ConnectorReading} from '../client/types.js';
import {isContradicted, neverContradicted, statusByAge} from '../domain/check/heard.js';
import type {JsonObject} from '../domain/json.js';
import {durationFlag} from '../flags.js';
import {requireFieldFor, requireReadable} from './fields/known-names.js';

export const onlineWithinFlag = (dependsOn: readonly string[] = []) =>
  durationFlag({
    dependsOn: [...dependsOn],
    description:
      'online means a heartbeat within this time, by the clock of the service, whatever status but revoked it sends',
  });

const purpose = 'evaluate --online-within';

/**
 * A client that replaces the status of each connector by the age of its last heartbeat; see `statusByAge`.
 *
 * @param within in milliseconds; undefined keeps the service's statuses
 * @param now the service's clock in milliseconds since the Unix epoch
 * @returns a client whose `getConnector` and `listConnectors().all()` throw AppError if no connector
 *   has `last_heartbeat_at`, or a value cannot be read
 */
export function withOnlineWithin(
  client: Client,
  within: number | undefined,
  now: () => number,
): Client {
  if (within === undefined) return client;
  const {status, last_heartbeat_at: heard} = connectorField;
  let isSent = false;
  const evaluated = (raw: JsonObject) =>
    withStatus(raw, statusByAge(status(raw), heard(raw)?.getTime() ?? null, {within, now: now()}));
  const listConnectors: Client['listConnectors'] = (options) => {
    const list = client.listConnectors(options);
    const all = async () => {
      // Reads the whole list, even if a part is wanted: that part alone may lack the field.
      const connectors = await list.all();
      requireFieldFor(purpose, 'last_heartbeat_at', connectors);
      return connectors.map(evaluated);
    };
    return {...list, all};
  };
  return {
    ...client,
    listConnectors,
    async getConnector(id, options) {
      const {raw} = await client.getConnector(id, options);
      requireReadable(purpose, raw, 'last_heartbeat_at');
      // Some services omit the field until the first heartbeat: the list shows whether other connectors have it.
      if (heard(raw) === undefined && !isSent) await listConnectors(options).all();
      isSent = true;
      return readingOf(evaluated(raw));
    },
  };
}

/**
 * Whether the service says `online` although the last heartbeat contradicts it; see `isContradicted`. A zero time does
 * too: the service records heartbeats, and has none of this connector.
 */
export function isOnlineByWordAlone(
  {raw, status, lastHeartbeatAt: at}: Pick<ConnectorReading, 'raw' | 'status' | 'lastHeartbeatAt'>,
  now: number,
): boolean {
  if (at === undefined || isEvaluated(raw) || status?.toLowerCase() !== 'online') return false;
  return at === null ? hasZeroTime(raw) : isContradicted(at.getTime(), () => intervalIn(raw), now);
}

/** The connectors that are `isOnlineByWordAlone`. Parses no recent times: parsing a long list is slow. */
export function onlineByWordAlone(connectors: readonly JsonObject[], now: number): JsonObject[] {
  const {status, last_heartbeat_at: heard} = connectorField;
  const [from = '', to = ''] = neverContradicted(now).map((at) => new Date(at).toISOString());
  // Times in the form of the interface (§2) sort as texts, except within a second.
  const isRecent = reader(
    heartbeatNames,
    (sent) => typeof sent === 'string' && sent > from && sent < to && forms.usual.test(sent),
  );
  return connectors.filter((raw) => {
    if (isRecent(raw)) return false;
    const reading = {raw, status: status(raw), lastHeartbeatAt: heard(raw)};
    return isOnlineByWordAlone(reading, now);
  });
}
