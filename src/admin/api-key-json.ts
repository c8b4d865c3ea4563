import {timestamp, timestampOrNull} from '../domain/timestamp.js';
import type {ApiKeyInfo} from '../server/admin/types.js';

/** An API key as `--json` shows it; times in ISO 8601 UTC. */
export interface ApiKeyJson {
  readonly id: string;
  readonly organization: string;
  /** `connector` for the own key of one. */
  readonly access: ApiKeyInfo['access'];
  readonly description: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly revocation_reason: string | null;
  readonly last_used_at: string | null;
}

/** Converts a key's record to JSON; neither holds a secret. */
export function apiKeyJson(key: ApiKeyInfo): ApiKeyJson {
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
