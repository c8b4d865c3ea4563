import type {Statement} from './database.js';
import {apiKeys, connectors, tokens} from './rows.js';

/**
 * The statements of the store, by their names, in SQL that all engines with PostgreSQL's protocol support. They read
 * and write records; what to write is decided in `src/domain`. Result columns are named like the fields of records.
 */
const texts = {
  findApiKey: `SELECT ${apiKeys.columns} FROM api_keys WHERE hash = $1`,
  listApiKeys: `SELECT ${apiKeys.columns} FROM api_keys ORDER BY created_at, id`,
  lockApiKey: `SELECT ${apiKeys.columns} FROM api_keys WHERE id = $1 FOR UPDATE`,
  lockStore: 'SELECT id FROM store_info WHERE id = 1 FOR UPDATE',
  findAnyApiKey: 'SELECT id FROM api_keys LIMIT 1',

  lockToken: `SELECT ${tokens.columns} FROM activation_tokens WHERE hash = $1 FOR UPDATE`,
  /** Counts an organization's tokens that are unused and expire after a time, up to a number. */
  countTokens: `SELECT count(*) AS count FROM (
      SELECT 1 FROM activation_tokens
      WHERE organization = $1 AND expires_at > $3 AND redeemed_at IS NULL AND reissues IS NULL
      LIMIT $2) AS counted`,
  /** Tokens that expired before a time, and unused ones that expired before another. */
  forgetTokens: `DELETE FROM activation_tokens
    WHERE expires_at < $1 OR (expires_at < $2 AND redeemed_at IS NULL)`,

  findConnector: `SELECT ${connectors.columns} FROM connectors WHERE id = $1`,
  findConnectors: `SELECT ${connectors.columns} FROM connectors WHERE id = ANY($1::text[])`,
  listConnectors: `SELECT ${connectors.columns} FROM connectors
    WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`,
  listRevokedConnectors: `SELECT ${connectors.columns} FROM connectors
    WHERE revoked_at IS NOT NULL ORDER BY id`,
  lockConnector: `SELECT ${connectors.columns} FROM connectors WHERE id = $1 FOR UPDATE`,
  /** Locks many by a write that changes nothing, which works across the shards of a distributed table too. */
  lockConnectors: `UPDATE connectors SET activated_at = activated_at WHERE id = ANY($1::text[])
    RETURNING ${connectors.columns}`,
  removeConnectors: 'DELETE FROM connectors WHERE id = ANY($1::text[])',
  /** Counts an organization's connectors, up to a number. */
  countConnectors: `SELECT count(*) AS count FROM (
      SELECT 1 FROM connectors WHERE organization = $1 LIMIT $2) AS counted`,
  /** The latest time wins. */
  recordHeartbeats: `UPDATE connectors AS c
    SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, beat.at)
    FROM unnest($1::text[], $2::bigint[]) AS beat (id, at) WHERE c.id = beat.id
    RETURNING c.id, c.last_heartbeat_at AS "lastHeartbeatAt", c.revoked_at AS "revokedAt"`,

  measure: `SELECT count(*) FILTER (WHERE live AND at IS NULL) AS never,
      count(*) FILTER (WHERE live AND at >= $1) AS online,
      count(*) FILTER (WHERE live AND at >= $2 AND at < $1) AS stale,
      count(*) FILTER (WHERE live AND at < $2) AS offline,
      count(*) FILTER (WHERE NOT live) AS revoked
    FROM (SELECT last_heartbeat_at AS at, revoked_at IS NULL AS live FROM connectors) AS c`,
  /** The largest numbers of one organization, of tokens that expire after a time and of connectors. */
  measureLargest: `SELECT (SELECT COALESCE(max(count), 0) FROM (
        SELECT count(*) AS count FROM activation_tokens
        WHERE expires_at > $1 AND redeemed_at IS NULL AND reissues IS NULL
        GROUP BY organization) AS t) AS tokens,
      (SELECT COALESCE(max(count), 0) FROM (
        SELECT count(*) AS count FROM connectors GROUP BY organization) AS c) AS connectors`,
  /** Tables with indexes and TOAST, found by the `search_path` like everywhere else. */
  size: `SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint AS bytes
    FROM unnest(ARRAY['store_info', 'api_keys', 'activation_tokens', 'connectors']) AS t (name)`,
  findIds: 'SELECT id FROM connectors WHERE id = ANY($1::text[])',
  /** Counts sessions on this database by application name. */
  countSessions: `SELECT count(*) AS others FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = $1`,
  /** Writes a row without meaning: if this write is acknowledged, others will be too. */
  check: 'UPDATE store_info SET checked_at = $1 WHERE id = 1',
} as const;

type Name = keyof typeof texts;

export const statements = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, {name, text}]),
) as Readonly<Record<Name, Statement>>;
