import type {ConnectorRecord} from '../../domain/records.js';
import type {Statement} from './connection/run.js';
import {apiKeyRows, connectorRows, draftRows, type Rows, tokenRows} from './rows.js';
import {tables} from './schema.js';

/**
 * Every statement of the store, in SQL that all engines with PostgreSQL's protocol support. Result columns
 * are named like the fields of the domain's records. Every statement is idempotent.
 */

const apiKeyColumns = apiKeyRows.columns('api_keys');
const tokenColumns = tokenRows.columns('t');

/** The connectors that a statement may access: those of an organization, or the one of a key with a hash. */
export type ScopeColumn = 'organization' | 'key_hash';

/** Keeps the time and reason of the first revocation. */
const revoke = `revoked_at = COALESCE(revoked_at, $2),
   revocation_reason = CASE WHEN revoked_at IS NULL THEN $3 ELSE revocation_reason END`;

export const statements = {
  /** A repeat writes too, so that it waits for a standby like the first attempt; see `confirmApiKey`. */
  createApiKey: {
    name: 'create_api_key',
    text: `INSERT INTO api_keys (${apiKeyRows.names.join(', ')}) VALUES (${apiKeyRows.parameters(1)})
           ON CONFLICT (id) DO UPDATE SET created_at = api_keys.created_at`,
  },
  claimFirstApiKey: {
    name: 'claim_first_api_key',
    text: `UPDATE store_info SET first_key_id = $1 WHERE id = 1 AND first_key_id IS NULL
           RETURNING id`,
  },
  findAnyApiKey: {name: 'find_any_api_key', text: 'SELECT id FROM api_keys LIMIT 1'},
  /**
   * Finds a row by a write that changes nothing. A row that is only read may not be on the synchronous standby
   * yet: a server that restarts shows the commits that were waiting for it. The commit of a write waits, and
   * the standby then has all earlier ones too.
   */
  confirmApiKey: {
    name: 'confirm_api_key',
    text: 'UPDATE api_keys SET created_at = created_at WHERE id = $1 RETURNING id',
  },
  confirmToken: {
    name: 'confirm_token',
    text: 'UPDATE activation_tokens SET redeemed_at = redeemed_at WHERE hash = $1',
  },
  confirmConnector: {
    name: 'confirm_connector',
    text: `UPDATE connectors SET activated_at = activated_at WHERE id = $1
           RETURNING ${connectorRows.columns('connectors')}`,
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
  /** Closes the token for a new key too. */
  revokeConnector: {
    name: 'revoke_connector',
    text: `UPDATE connectors SET ${revoke}, reissue_hash = NULL WHERE id = $1
           RETURNING ${connectorRows.columns('connectors')}`,
  },
  listRevokedConnectors: {
    name: 'list_revoked_connectors',
    text: `SELECT ${connectorRows.columns('c')} FROM connectors AS c
           WHERE revoked_at IS NOT NULL ORDER BY id`,
  },
  recordKeyUse: {
    name: 'record_key_use',
    text: 'UPDATE api_keys SET last_used_at = GREATEST(last_used_at, $2) WHERE id = $1',
  },
  /** Counts an organization's tokens that are unused and expire after a time, up to a number. */
  countTokens: {
    name: 'count_tokens',
    text: `SELECT count(*) AS count FROM (
             SELECT 1 FROM activation_tokens
             WHERE organization = $1 AND expires_at > $3 AND redeemed_at IS NULL
               AND reissues IS NULL LIMIT $2
           ) AS counted`,
  },
  /** Counts an organization's connectors, up to a number. */
  countConnectors: {
    name: 'count_connectors',
    text: `SELECT count(*) AS count FROM (
             SELECT 1 FROM connectors WHERE organization = $1 LIMIT $2
           ) AS counted`,
  },
  /** The largest numbers of one organization, of tokens that expire after a time and of connectors. */
  measureLargest: {
    name: 'measure_largest',
    text: `SELECT (SELECT COALESCE(max(count), 0) FROM (
               SELECT count(*) AS count FROM activation_tokens
               WHERE expires_at > $1 AND redeemed_at IS NULL AND reissues IS NULL
               GROUP BY organization) AS t) AS tokens,
             (SELECT COALESCE(max(count), 0) FROM (
               SELECT count(*) AS count FROM connectors GROUP BY organization) AS c) AS connectors`,
  },
  /**
   * Marks the token as used and creates its connector, if the token exists, is valid and unused, and its
   * organization is one of those in $4; null stands for any. The values of `draftRows` follow, first the id. Returns
   * the only column that the caller does not know.
   */
  redeemToken: {
    name: 'redeem_token',
    text: `WITH used AS (
             UPDATE activation_tokens
             SET redeemed_at = $2, connector_id = $5, idempotency_hash = $3
             WHERE hash = $1 AND redeemed_at IS NULL AND expires_at > $2 AND reissues IS NULL
               AND ($4::text[] IS NULL OR organization = ANY($4::text[]))
             RETURNING organization
           )
           INSERT INTO connectors (organization, ${draftRows.names.join(', ')})
           SELECT organization, ${draftRows.parameters(5)} FROM used
           RETURNING organization`,
  },
  /** Finds a token and its connector (`boundId`). */
  findRedemption: {
    name: 'find_redemption',
    text: `SELECT ${tokenColumns}, ${connectorRows.columns('c')}
           FROM activation_tokens AS t LEFT JOIN connectors AS c
             ON c.id = COALESCE(t.reissues, t.connector_id)
           WHERE t.hash = $1`,
  },
  findToken: {
    name: 'find_token',
    text: `SELECT ${tokenColumns} FROM activation_tokens AS t WHERE t.hash = $1`,
  },
  /** Finds tokens of one shard. */
  findTokens: {
    name: 'find_tokens',
    text: `SELECT ${tokenColumns} FROM activation_tokens AS t WHERE t.hash = ANY($1::text[])`,
  },
  findConnectorsById: {
    name: 'find_connectors_by_id',
    text: `SELECT ${connectorRows.columns('c')} FROM connectors AS c WHERE c.id = ANY($1::text[])`,
  },
  readHeartbeats: {
    name: 'read_heartbeats',
    text: 'SELECT id, last_heartbeat_at AS at FROM connectors WHERE id = ANY($1::text[])',
  },
  /** Finds a key of an organization, or a connector with a key, by id and hash, unless it is revoked. */
  findValidKey: {
    name: 'find_valid_key',
    text: 'SELECT id FROM api_keys WHERE id = $1 AND hash = $2 AND revoked_at IS NULL',
  },
  findValidConnector: {
    name: 'find_valid_connector',
    text: 'SELECT id FROM connectors WHERE id = $1 AND key_hash = $2 AND revoked_at IS NULL',
  },
  /** Deletes a limited number of tokens that expired before a time. */
  forgetTokens: {
    name: 'forget_tokens',
    text: `DELETE FROM activation_tokens WHERE hash IN (
             SELECT hash FROM activation_tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
           ) RETURNING hash`,
  },
  /** Deletes a limited number of unused tokens that expired within a period. */
  forgetUnusedTokens: {
    name: 'forget_unused_tokens',
    text: `DELETE FROM activation_tokens WHERE hash IN (
             SELECT hash FROM activation_tokens
             WHERE expires_at < $1 AND expires_at >= $3 AND redeemed_at IS NULL
             ORDER BY expires_at LIMIT $2
           ) AND redeemed_at IS NULL RETURNING hash`,
  },
  listConnectors: {
    name: 'list_connectors',
    text: `SELECT ${connectorRows.columns('c')} FROM connectors AS c
           WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`,
  },
  listConnectorsUpTo: {
    name: 'list_connectors_up_to',
    text: `SELECT ${connectorRows.columns('c')} FROM connectors AS c
           WHERE organization = $1 AND id > $2 AND id <= $4 ORDER BY id LIMIT $3`,
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
  /** Tables with indexes and TOAST, found by the `search_path` like everywhere else. */
  size: {
    name: 'size',
    text: `SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint AS bytes
           FROM unnest(ARRAY['${tables.join("', '")}']) AS tables (name)`,
  },
  /** The same on Citus, of all nodes together. */
  distributedSize: {
    name: 'distributed_size',
    text: `SELECT sum(citus_total_relation_size(to_regclass(name), false))::bigint AS bytes
           FROM unnest(ARRAY['${tables.join("', '")}']) AS tables (name)`,
  },
  /** Writes a row without meaning: if this write is acknowledged, others will be too. */
  check: {
    name: 'check_store',
    text: 'UPDATE store_info SET checked_at = $1 WHERE id = 1',
  },
  /** Waits for any transaction that creates or removes this connector. Returns no row if there is one then. */
  claimId: {
    name: 'claim_id',
    text: `INSERT INTO connectors (id, organization, name, key_hash, activated_at)
           VALUES ($1, '', '', '', 0) ON CONFLICT (id) DO NOTHING RETURNING id`,
  },
  /** Waits until all earlier commits are as durable as a new one; see `confirmApiKey`. */
  confirmStore: {
    name: 'confirm_store',
    text: 'UPDATE store_info SET checked_at = checked_at WHERE id = 1',
  },
  removeProbe: {name: 'remove_probe', text: 'DELETE FROM connectors WHERE id = $1'},
  /** The database's clock, in milliseconds since the Unix epoch. */
  readClock: {
    name: 'read_clock',
    text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  },
} as const satisfies Record<string, Statement>;

/** All keys of a statement are on one server, or on one shard of Citus, which must recognize this. */
type Placement = 'server' | 'shard';

/** Citus determines the shard from conditions on the table itself, not from a join. */
const onShard: Readonly<Record<Placement, (column: string) => string>> = {
  server: () => '',
  shard: (column) => `AND ${column} = ANY($1::text[])`,
};

/** The connectors that a scope may look up, also by a key that is revoked (`judgeKey`). */
const isVisible: Readonly<Record<ScopeColumn, (scope: string) => string>> = {
  organization: (organization) => `c.organization = ${organization}`,
  // Unlike IN, OR ends at the first that fits, and builds no array.
  key_hash: (hash) => `(c.key_hash = ${hash} OR c.ended_key_hash = ${hash})`,
};

/**
 * Finds one connector within a scope. Unlike a join with short arrays, PostgreSQL plans it only once for each
 * connection, and planning costs several times as much as execution.
 */
export function findOneConnector(scope: ScopeColumn): Statement {
  return {
    name: `find_one_connector_by_${scope}`,
    text: `SELECT 1 AS number, ${connectorRows.columns('c')} FROM connectors AS c
           WHERE c.id = $1 AND ${isVisible[scope]('$2')}`,
  };
}

/** Finds connectors by id, each only within its scope. A row has its number in the arrays, from 1 on. */
export function findConnectors(scope: ScopeColumn, placement: Placement): Statement {
  return {
    name: `find_connectors_by_${scope}`,
    text: `SELECT wanted.number, ${connectorRows.columns('c')}
           FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (id, scope, number)
           JOIN connectors AS c ON c.id = wanted.id AND ${isVisible[scope]('wanted.scope')}
           ${onShard[placement]('c.id')}`,
  };
}

/** The connectors that a scope may record heartbeats of: a key of the connector itself must be valid (`judgeKey`). */
const mayRecord: Readonly<Record<ScopeColumn, (scope: string) => string>> = {
  organization: isVisible.organization,
  key_hash: (hash) => `c.key_hash = ${hash} AND c.revoked_at IS NULL`,
};

/** Records one heartbeat like `recordHeartbeats`; see `findOneConnector`. */
export function recordOneHeartbeat(scope: ScopeColumn): Statement {
  return {
    name: `record_one_heartbeat_by_${scope}`,
    text: `UPDATE connectors AS c SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, $3)
           WHERE c.id = $1 AND ${mayRecord[scope]('$2')}
           RETURNING 1 AS number, c.last_heartbeat_at AS "lastHeartbeatAt",
             c.revoked_at AS "revokedAt"`,
  };
}

/**
 * Records heartbeats of many connectors, each only within its scope and not for a revoked key. The latest
 * time wins. A row has the number of its heartbeat in the arrays, from 1 on, and nothing that the caller
 * knows already: with whole connectors a statement of 500 costs the server a fifth more.
 */
export function recordHeartbeats(scope: ScopeColumn, placement: Placement): Statement {
  return {
    name: `record_heartbeats_by_${scope}`,
    text: `UPDATE connectors AS c
           SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, beat.at)
           FROM unnest($1::text[], $2::text[], $3::bigint[])
             WITH ORDINALITY AS beat (id, scope, at, number)
           WHERE c.id = beat.id AND ${mayRecord[scope]('beat.scope')} ${onShard[placement]('c.id')}
           RETURNING beat.number, c.last_heartbeat_at AS "lastHeartbeatAt",
             c.revoked_at AS "revokedAt"`,
  };
}

/** A row of `findConnectors`. */
export interface ConnectorRow extends ConnectorRecord {
  readonly number: number;
}

/** A row of `recordHeartbeats`. */
export interface HeartbeatRow {
  readonly number: number;
  readonly lastHeartbeatAt: number;
  readonly revokedAt: number | null;
}

/** Marks valid, unused tokens of one shard as used, each for its connector. */
export const redeemTokens: Statement = {
  name: 'redeem_tokens',
  text: `UPDATE activation_tokens AS t
         SET redeemed_at = attempt.at, connector_id = attempt.connector_id,
           idempotency_hash = attempt.idempotency_hash
         FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
           AS attempt (hash, connector_id, idempotency_hash, at)
         WHERE t.hash = attempt.hash AND t.redeemed_at IS NULL AND t.expires_at > attempt.at
           AND t.reissues IS NULL
           AND ($5::text[] IS NULL OR t.organization = ANY($5::text[]))
           ${onShard.shard('t.hash')}
         RETURNING t.connector_id AS "attemptId", t.organization`,
};

/** Inserts a number of connectors. */
export const insertConnectors = (count: number): Statement =>
  insertRows('connectors', connectorRows, count);

/** Inserts a number of tokens. A repeat writes too; see `confirmApiKey`. */
export const insertTokens = (count: number): Statement =>
  insertRows(
    'activation_tokens',
    tokenRows,
    count,
    'ON CONFLICT (hash) DO UPDATE SET created_at = activation_tokens.created_at',
  );

/**
 * Inserts a number of rows, with a parameter for each value: Citus sends the rows of such a statement directly to
 * their shards.
 *
 * @param onConflict what to do with existing rows, which otherwise are an error
 */
export function insertRows(
  table: string,
  {names}: Pick<Rows<object>, 'names'>,
  count: number,
  onConflict = '',
): Statement {
  const row = (_: unknown, index: number) =>
    `(${names.map((_name, at) => `$${index * names.length + at + 1}`).join(', ')})`;
  return {
    name: `insert_${count}_${table}${onConflict === '' ? '' : '_if_new'}`,
    text: `INSERT INTO ${table} (${names.join(', ')})
           VALUES ${Array.from({length: count}, row).join(', ')} ${onConflict}`,
  };
}
