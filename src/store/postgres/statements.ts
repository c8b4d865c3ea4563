import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Statement} from './database.js';
import {tables} from './schema.js';

/**
 * Every statement of the store, in SQL that the engines which speak PostgreSQL's protocol share. The
 * columns that they answer have the names of the domain's records. Each may be repeated without doing
 * anything twice.
 */

export const connectorColumns = (table: string): string =>
  `${table}.id, ${table}.organization, ${table}.name, ${table}.key_hash AS "keyHash",
   ${table}.activated_at AS "activatedAt", ${table}.last_heartbeat_at AS "lastHeartbeatAt",
   ${table}.revoked_at AS "revokedAt", ${table}.revocation_reason AS "revocationReason"`;

/** The columns of an API key and their types, in the order of `apiKeyValues`. */
export const apiKeyTypes = {
  id: 'text',
  organization: 'text',
  hash: 'text',
  description: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  revoked_at: 'bigint',
  last_used_at: 'bigint',
  revocation_reason: 'text',
} as const;

export function apiKeyValues(record: ApiKeyRecord): readonly unknown[] {
  const {id, organization, hash, description} = record;
  const {createdAt, expiresAt, revokedAt, lastUsedAt, revocationReason} = record;
  const times = [createdAt, expiresAt, revokedAt, lastUsedAt];
  return [id, organization, hash, description, ...times, revocationReason];
}

const apiKeyNames = Object.keys(apiKeyTypes).join(', ');
const apiKeyParameters = Object.values(apiKeyTypes)
  .map((type, index) => `$${index + 1}::${type}`)
  .join(', ');

export const apiKeyColumns = `id, organization, hash, description, created_at AS "createdAt",
   expires_at AS "expiresAt", revoked_at AS "revokedAt",
   revocation_reason AS "revocationReason", last_used_at AS "lastUsedAt"`;

export const tokenColumns = `t.hash, t.organization AS "tokenOrganization", t.description,
   t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.redeemed_at AS "redeemedAt",
   t.connector_id AS "connectorId", t.idempotency_hash AS "idempotencyHash"`;

/** The database's clock, in milliseconds since the Unix epoch. */
const clock = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';

/** Whose connectors a statement may see: those of an organization, or the one with a key's hash. */
export type ScopeColumn = 'organization' | 'key_hash';

/** The first revocation stays. */
const revoke = `revoked_at = COALESCE(revoked_at, $2),
   revocation_reason = CASE WHEN revoked_at IS NULL THEN $3 ELSE revocation_reason END`;

export const statements = {
  createApiKey: {
    name: 'create_api_key',
    text: `INSERT INTO api_keys (${apiKeyNames}) VALUES (${apiKeyParameters})
           ON CONFLICT DO NOTHING`,
  },
  /** The claim decides: whoever waited for it to be written finds it taken. */
  createFirstApiKey: {
    name: 'create_first_api_key',
    text: `WITH claim AS (
             UPDATE store_info SET first_key_id = $1 WHERE id = 1 AND first_key_id IS NULL
             RETURNING id
           )
           INSERT INTO api_keys (${apiKeyNames}) SELECT ${apiKeyParameters}
           FROM claim WHERE NOT EXISTS (SELECT 1 FROM api_keys)
           RETURNING id`,
  },
  findApiKeyById: {
    name: 'find_api_key_by_id',
    text: 'SELECT id FROM api_keys WHERE id = $1',
  },
  findApiKeys: {
    name: 'find_api_keys',
    text: `SELECT ${apiKeyColumns} FROM api_keys WHERE hash = ANY($1::text[])`,
  },
  listApiKeys: {
    name: 'list_api_keys',
    text: `SELECT ${apiKeyColumns} FROM api_keys ORDER BY created_at, id`,
  },
  revokeApiKey: {
    name: 'revoke_api_key',
    text: `UPDATE api_keys SET ${revoke} WHERE id = $1 RETURNING ${apiKeyColumns}`,
  },
  revokeConnector: {
    name: 'revoke_connector',
    text: `UPDATE connectors SET ${revoke} WHERE id = $1 RETURNING ${connectorColumns('connectors')}`,
  },
  listRevokedConnectors: {
    name: 'list_revoked_connectors',
    text: `SELECT ${connectorColumns('c')} FROM connectors AS c
           WHERE revoked_at IS NOT NULL ORDER BY id`,
  },
  recordKeyUse: {
    name: 'record_key_use',
    text: 'UPDATE api_keys SET last_used_at = GREATEST(last_used_at, $2) WHERE id = $1',
  },
  createToken: {
    name: 'create_token',
    text: `INSERT INTO activation_tokens
             (hash, organization, description, created_at, expires_at,
              redeemed_at, connector_id, idempotency_hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
  },
  /** Spends the token and makes its connector as one, if the token is there, alive and unspent. */
  redeemToken: {
    name: 'redeem_token',
    text: `WITH spent AS (
             UPDATE activation_tokens
             SET redeemed_at = $2, connector_id = $4, idempotency_hash = $3
             WHERE hash = $1 AND redeemed_at IS NULL AND expires_at > $2
             RETURNING organization
           )
           INSERT INTO connectors
             (id, organization, name, key_hash, activated_at, last_heartbeat_at)
           SELECT $4::text, organization, $5::text, $6::text, $7::bigint, $8::bigint FROM spent
           RETURNING ${connectorColumns('connectors')}`,
  },
  /** A token, and the connector that it was redeemed for. */
  findRedemption: {
    name: 'find_redemption',
    text: `SELECT ${tokenColumns}, ${connectorColumns('c')}
           FROM activation_tokens AS t LEFT JOIN connectors AS c ON c.id = t.connector_id
           WHERE t.hash = $1`,
  },
  /** Forgets tokens that expired before a time, not too many at once. */
  forgetTokens: {
    name: 'forget_tokens',
    text: `DELETE FROM activation_tokens WHERE hash IN (
             SELECT hash FROM activation_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
           ) RETURNING hash`,
  },
  listConnectors: {
    name: 'list_connectors',
    text: `SELECT ${connectorColumns('c')} FROM connectors AS c
           WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`,
  },
  measure: {
    name: 'measure',
    text: `SELECT count(*) FILTER (WHERE live AND at IS NULL) AS never,
             count(*) FILTER (WHERE live AND at >= $1) AS online,
             count(*) FILTER (WHERE live AND at >= $2 AND at < $1) AS stale,
             count(*) FILTER (WHERE live AND at < $2) AS offline,
             count(*) FILTER (WHERE NOT live) AS revoked
           FROM (SELECT last_heartbeat_at AS at, revoked_at IS NULL AS live FROM connectors) AS c`,
  },
  /** With their indexes and what lies beside them; found by the `search_path`, as they are everywhere. */
  size: {
    name: 'size',
    text: `SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint AS bytes
           FROM unnest(ARRAY['${tables.join("', '")}']) AS tables (name)`,
  },
  /** A write that changes nothing that matters: where it is acknowledged, others will be. */
  check: {
    name: 'check_store',
    text: `UPDATE store_info SET checked_at = $1 WHERE id = 1 RETURNING ${clock}`,
  },
  readClock: {name: 'read_clock', text: `SELECT ${clock}`},
} as const satisfies Record<string, Statement>;

/** Connectors by their ids, each if its scope may see it. */
export function findConnectors(scope: ScopeColumn): Statement {
  return {
    name: `find_connectors_by_${scope}`,
    text: `SELECT ${connectorColumns('c')}
           FROM unnest($1::text[], $2::text[]) AS wanted (id, scope)
           JOIN connectors AS c ON c.id = wanted.id AND c.${scope} = wanted.scope`,
  };
}

/**
 * The heartbeats of many connectors, each if its scope may see it and is no revoked key; the latest
 * time wins.
 */
export function recordHeartbeats(scope: ScopeColumn): Statement {
  const live = scope === 'key_hash' ? ' AND c.revoked_at IS NULL' : '';
  return {
    name: `record_heartbeats_by_${scope}`,
    text: `UPDATE connectors AS c
           SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, beat.at)
           FROM unnest($1::text[], $2::text[], $3::bigint[]) AS beat (id, scope, at)
           WHERE c.id = beat.id AND c.${scope} = beat.scope${live}
           RETURNING ${connectorColumns('c')}`,
  };
}

/** A token as its columns have it. */
export interface TokenRow extends Omit<TokenRecord, 'organization' | 'redemption'> {
  readonly tokenOrganization: string;
  readonly redeemedAt: number | null;
  readonly connectorId: string | null;
  readonly idempotencyHash: string | null;
}

/** A row of `findRedemption`; the columns of the connector are null when there is none. */
export type RedemptionRow = TokenRow & Omit<ConnectorRecord, 'id'> & {readonly id: string | null};

/** The token of a row. */
export function readToken(row: TokenRow): TokenRecord {
  const {hash, description, createdAt, expiresAt, redeemedAt, connectorId, idempotencyHash} = row;
  const redemption =
    redeemedAt === null || connectorId === null
      ? null
      : {at: redeemedAt, connectorId, idempotencyHash};
  const organization = row.tokenOrganization;
  return {hash, organization, description, createdAt, expiresAt, redemption};
}

/** The token of a row, and the connector that it was redeemed for. */
export function readRedemption(
  row: RedemptionRow,
): readonly [token: TokenRecord, connector: ConnectorRecord | undefined] {
  const {id, organization, name, keyHash, activatedAt, lastHeartbeatAt} = row;
  const {revokedAt, revocationReason} = row;
  const connector = {organization, name, keyHash, activatedAt, lastHeartbeatAt};
  const found = {...connector, revokedAt, revocationReason};
  return [readToken(row), id === null ? undefined : {id, ...found}];
}
