import type {Section, TransferRecord} from '../transfer.js';
import type {Statement} from './database.js';
import {
  apiKeyColumns,
  apiKeyTypes,
  apiKeyValues,
  connectorColumns,
  tokenColumns,
} from './statements.js';

/** The statements that read and fill a store as a whole; see `transfer.ts`. */

/** Reads a page of a section: $1 is the key before it, $2 its length; of tokens $3 the earliest expiry. */
export const readPage: Readonly<Record<Section, Statement>> = {
  apiKeys: {
    name: 'copy_read_api_keys',
    text: `SELECT ${apiKeyColumns} FROM api_keys WHERE id > $1 ORDER BY id LIMIT $2`,
  },
  tokens: {
    name: 'copy_read_tokens',
    text: `SELECT ${tokenColumns} FROM activation_tokens AS t
           WHERE hash > $1 AND expires_at >= $3 ORDER BY hash LIMIT $2`,
  },
  connectors: {
    name: 'copy_read_connectors',
    text: `SELECT ${connectorColumns('c')} FROM connectors AS c WHERE id > $1 ORDER BY id LIMIT $2`,
  },
};

/** Other sessions on this database by the name of their application. */
export const countOthers: Statement = {
  name: 'copy_count_others',
  text: `SELECT count(*) AS others FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = $1`,
};

export const finishCopy: Statement = {
  name: 'copy_finish',
  text: 'UPDATE store_info SET is_copying = false WHERE id = 1',
};

/** Adds rows, each column as an array; those that are there already stay. */
export const insertRows: Readonly<Record<Section, Statement>> = {
  apiKeys: insert('api_keys', apiKeyTypes),
  tokens: insert('activation_tokens', {
    hash: 'text',
    organization: 'text',
    description: 'text',
    created_at: 'bigint',
    expires_at: 'bigint',
    redeemed_at: 'bigint',
    connector_id: 'text',
    idempotency_hash: 'text',
  }),
  connectors: insert('connectors', {
    id: 'text',
    organization: 'text',
    name: 'text',
    key_hash: 'text',
    activated_at: 'bigint',
    last_heartbeat_at: 'bigint',
    revoked_at: 'bigint',
    revocation_reason: 'text',
  }),
};

function insert(table: string, columns: Readonly<Record<string, 'text' | 'bigint'>>): Statement {
  const names = Object.keys(columns).join(', ');
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return {
    name: `copy_into_${table}`,
    text: `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays.join(', ')})
           ON CONFLICT DO NOTHING`,
  };
}

/** A record's section and its row, in the order of the columns of `insertRows`. */
export function toRow(record: TransferRecord): readonly [Section, readonly unknown[]] {
  switch (record.type) {
    case 'apiKey':
      return ['apiKeys', apiKeyValues(record)];
    case 'connector': {
      const {id, organization, name, keyHash, activatedAt, lastHeartbeatAt} = record;
      const activated = [id, organization, name, keyHash, activatedAt, lastHeartbeatAt];
      return ['connectors', [...activated, record.revokedAt, record.revocationReason]];
    }
    case 'token': {
      const {hash, organization, description, createdAt, expiresAt, redemption} = record;
      const used = [redemption?.at, redemption?.connectorId, redemption?.idempotencyHash];
      return ['tokens', [hash, organization, description, createdAt, expiresAt, ...used]];
    }
    case 'closedToken': {
      const {hash, outcome, expiresAt} = record;
      // Enough to refuse it: a use that nothing can repeat, or an expiry that has passed.
      const used = outcome === 'used' ? [expiresAt, '', null] : [null, null, null];
      return ['tokens', [hash, '', null, expiresAt, expiresAt, ...used]];
    }
  }
}
