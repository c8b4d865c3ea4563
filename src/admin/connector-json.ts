import type {ConnectorReading} from '../client/types.js';
import type {JsonObject} from '../domain/json.js';
import {timestamp, timestampOrNull} from '../domain/timestamp.js';
import type {ConnectorInfo} from '../server/admin/types.js';

/** A connector of a store as `--json` shows it, in the fields of the interface; times in ISO 8601 UTC. */
export interface ConnectorJson extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly activated_at: string;
  readonly last_heartbeat_at: string | null;
  readonly revoked_at: string | null;
}

/** Converts a connector to JSON. It has no status, which depends on the interval of a service. */
export function connectorJson(connector: ConnectorInfo): ConnectorJson {
  const {id, name, organization, activatedAt, lastHeartbeatAt, revokedAt} = connector;
  return {
    id,
    name,
    organization,
    activated_at: timestamp(activatedAt),
    last_heartbeat_at: timestampOrNull(lastHeartbeatAt),
    revoked_at: timestampOrNull(revokedAt),
  };
}

/** A connector of a store as one that a service sent. */
export function connectorReading(connector: ConnectorInfo): ConnectorReading {
  const {id, name, organization, activatedAt, lastHeartbeatAt} = connector;
  return {
    id,
    name,
    organization,
    status: undefined,
    activatedAt: new Date(activatedAt),
    lastHeartbeatAt: lastHeartbeatAt === null ? null : new Date(lastHeartbeatAt),
    raw: connectorJson(connector),
  };
}
