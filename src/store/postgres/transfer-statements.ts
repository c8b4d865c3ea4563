import type {Section, TransferRecord} from '../transfer.js';
import type {Statement} from './connection/run.js';
import {apiKeyRows, connectorRows, type Rows, tokenRows, tokenValues} from './rows.js';
import {insertRows} from './statements.js';

/** The statements that copy a whole store; see `transfer.ts`. */

/** Counts other sessions on this database by application name. */
const countIn = (view: string): Statement => ({
  name: `copy_count_in_${view}`,
  text: `SELECT count(*) AS others FROM ${view}
         WHERE datname = current_database() AND application_name = $1`,
});
export const countOthers = countIn('pg_stat_activity');
/** The same on all nodes of Citus. */
export const countOthersOnNodes = countIn('citus_stat_activity');

export const finishCopy: Statement = {
  name: 'copy_finish',
  text: 'UPDATE store_info SET is_copying = false WHERE id = 1',
};

/** The table of a section. */
interface Table {
  readonly name: string;
  /** The column that pages are read by. */
  readonly key: string;
  readonly rows: Pick<Rows<object>, 'names' | 'types' | 'columns'>;
}

const tables: Readonly<Record<Section, Table>> = {
  apiKeys: {name: 'api_keys', key: 'id', rows: apiKeyRows},
  tokens: {name: 'activation_tokens', key: 'hash', rows: tokenRows},
  connectors: {name: 'connectors', key: 'id', rows: connectorRows},
};

/** Reads up to $2 rows of a section after the key $1, and if it is bounded, up to and including the key $3. */
export function readPage(section: Section, isBounded: boolean): Statement {
  const {name, key, rows} = tables[section];
  return {
    name: `copy_read_${name}${isBounded ? '_up_to' : ''}`,
    text: `SELECT ${rows.columns('t')} FROM ${name} AS t
           WHERE ${key} > $1 ${isBounded ? `AND ${key} <= $3` : ''} ORDER BY ${key} LIMIT $2`,
  };
}

/** Inserts rows, with an array for each column; existing rows stay unchanged. */
export function insertArrays(section: Section): Statement {
  const {name, rows} = tables[section];
  const arrays = rows.types.map((type, index) => `$${index + 1}::${type}[]`);
  return {
    name: `copy_into_${name}`,
    text: `INSERT INTO ${name} (${rows.names.join(', ')})
           SELECT * FROM unnest(${arrays.join(', ')}) ON CONFLICT DO NOTHING`,
  };
}

/** Inserts rows with a parameter for each value; existing rows stay unchanged. */
export function insertValues(section: Section, count: number): Statement {
  const {name, rows} = tables[section];
  const {text} = insertRows(name, rows, count, 'ON CONFLICT DO NOTHING');
  return {name: `copy_${count}_into_${name}`, text};
}

/** The section and row of a record, with its values in the order of the columns of its table. */
export function toRow(record: TransferRecord): readonly [Section, readonly unknown[]] {
  switch (record.type) {
    case 'apiKey':
      return ['apiKeys', apiKeyRows.values(record)];
    case 'connector':
      return ['connectors', connectorRows.values(record)];
    case 'token':
      return ['tokens', tokenValues(record)];
    case 'closedToken': {
      const {hash, expiresAt} = record;
      // Just enough to refuse the token: a redemption that cannot be repeated.
      const redemption = {at: expiresAt, attemptId: '', idempotencyHash: null};
      const unknown = {organization: '', description: null, reissues: null};
      return [
        'tokens',
        tokenValues({hash, ...unknown, createdAt: expiresAt, expiresAt, redemption}),
      ];
    }
  }
}
