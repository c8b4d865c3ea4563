import type {Section, TransferRecord} from '../transfer.js';
import type {Statement} from './connection/run.js';
import {
  apiKeyColumns,
  apiKeyTypes,
  apiKeyValues,
  connectorColumns,
  connectorTypes,
  connectorValues,
  tokenColumns,
  tokenTypes,
  tokenValues,
} from './rows.js';
import {placeholders} from './statements.js';

/** The statements that copy a whole store; see `transfer.ts`. */

/** Reads a page of a section: $1 is the key before it, $2 the limit, and for tokens $3 the earliest expiry. */
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

/** Like `readPage`, up to and including the key $3, or $4 for tokens. */
export const readPageUpTo: Readonly<Record<Exclude<Section, 'apiKeys'>, Statement>> = {
  tokens: {
    name: 'copy_read_tokens_up_to',
    text: `SELECT ${tokenColumns} FROM activation_tokens AS t
           WHERE hash > $1 AND expires_at >= $3 AND hash <= $4 ORDER BY hash LIMIT $2`,
  },
  connectors: {
    name: 'copy_read_connectors_up_to',
    text: `SELECT ${connectorColumns('c')} FROM connectors AS c
           WHERE id > $1 AND id <= $3 ORDER BY id LIMIT $2`,
  },
};

/** Counts other sessions on this database by application name. */
export const countOthers: Statement = {
  name: 'copy_count_others',
  text: `SELECT count(*) AS others FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = $1`,
};

export const finishCopy: Statement = {
  name: 'copy_finish',
  text: 'UPDATE store_info SET is_copying = false WHERE id = 1',
};

type ColumnTypes = Readonly<Record<string, 'text' | 'bigint'>>;

/** The table of each section, and its columns in the order of `toRow`. */
const tables: Readonly<Record<Section, readonly [name: string, columns: ColumnTypes]>> = {
  apiKeys: ['api_keys', apiKeyTypes],
  tokens: ['activation_tokens', tokenTypes],
  connectors: ['connectors', connectorTypes],
};

/** Inserts rows, with an array for each column; existing rows stay unchanged. */
export function insertArrays(section: Section): Statement {
  const [table, columns] = tables[section];
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return {
    name: `copy_into_${table}`,
    text: `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
           SELECT * FROM unnest(${arrays.join(', ')}) ON CONFLICT DO NOTHING`,
  };
}

/** Inserts rows with a parameter for each value: Citus sends the rows of such a statement directly to their shards. */
export function insertValues(section: Section, rows: number): Statement {
  const [table, columns] = tables[section];
  const names = Object.keys(columns);
  return {
    name: `copy_${rows}_into_${table}`,
    text: `INSERT INTO ${table} (${names.join(', ')}) VALUES ${placeholders(rows, names.length)}
           ON CONFLICT DO NOTHING`,
  };
}

/** The section and row of a record, in the order of the columns of `tables`. */
export function toRow(record: TransferRecord): readonly [Section, readonly unknown[]] {
  switch (record.type) {
    case 'apiKey':
      return ['apiKeys', apiKeyValues(record)];
    case 'connector':
      return ['connectors', connectorValues(record)];
    case 'token':
      return ['tokens', tokenValues(record)];
    case 'closedToken': {
      const {hash, outcome, expiresAt} = record;
      // Just enough to refuse the token: a redemption that cannot be repeated, or a past expiry.
      const used = outcome === 'used' ? [expiresAt, '', null] : [null, null, null];
      return ['tokens', [hash, '', null, expiresAt, expiresAt, ...used]];
    }
  }
}
