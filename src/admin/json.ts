import {timestamp, timestampOrNull} from '../domain/timestamp.js';
import type {ApiKeyInfo, ConnectorInfo} from '../server/admin/admin.js';

/** An API key as `--json` shows it; times in ISO 8601 UTC. */
export type ApiKeyJson = ReturnType<typeof apiKeyJson>;

/** Converts a key's record to JSON; neither holds a secret. */
export function apiKeyJson(key: ApiKeyInfo) {
  return {
    id: key.id,
    organization: key.organization,
    access: key.access,
    description: key.description,
    created_at: timestamp(key.createdAt),
    expires_at: timestampOrNull(key.expiresAt),
    revoked_at: timestampOrNull(key.revokedAt),
    revocation_reason: key.revocationReason,
    last_used_at: timestampOrNull(key.lastUsedAt),
  };
}

/** A connector of a store as `--json` shows it; times in ISO 8601 UTC. */
export type ConnectorJson = ReturnType<typeof connectorJson>;

/** Converts a connector to JSON. It has no status, which depends on the interval of a service. */
export function connectorJson(connector: ConnectorInfo) {
  return {
    id: connector.id,
    name: connector.name,
    organization: connector.organization,
    activated_at: timestamp(connector.activatedAt),
    last_heartbeat_at: timestampOrNull(connector.lastHeartbeatAt),
    revoked_at: timestampOrNull(connector.revokedAt),
  };
}
