import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Statement} from './database.js';

/** The SQL type of each field of a row. */
type Types<Row> = {readonly [Field in keyof Row]: 'text' | 'bigint'};

/** A table whose rows are records of the domain: the columns are named like the fields, in snake case. */
export class Table<Row extends object> {
  /** The columns to read, each named like its field. */
  readonly columns: string;
  /** Writes a row, in the place of the one with its key. */
  readonly write: Statement;
  /** Reads rows in the order of their keys, after a key. */
  readonly readPage: Statement;
  /** Inserts many rows, with an array for each column. */
  readonly insertAll: Statement;
  readonly #fields: readonly (keyof Row & string)[];

  /** @param types of the fields; the first is the primary key */
  constructor(name: string, types: Types<Row>) {
    this.#fields = Object.keys(types) as (keyof Row & string)[];
    const columns = this.#fields.map(toColumn);
    const [key, ...others] = columns;
    this.columns = columns.map((column, at) => `${column} AS "${this.#fields[at]}"`).join(', ');
    const into = `INSERT INTO ${name} (${columns.join(', ')})`;
    const parameters = this.#fields.map((field, at) => `$${at + 1}::${types[field]}`);
    this.write = {
      name: `write_${name}`,
      text: `${into} VALUES (${parameters.join(', ')}) ON CONFLICT (${key}) DO UPDATE
             SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    };
    const text = `SELECT ${this.columns} FROM ${name} WHERE ${key} > $1 ORDER BY ${key} LIMIT 1000`;
    this.readPage = {name: `read_page_${name}`, text};
    const arrays = parameters.map((parameter) => `${parameter}[]`);
    this.insertAll = {
      name: `insert_all_${name}`,
      text: `${into} SELECT * FROM unnest(${arrays.join(', ')})`,
    };
  }

  values(row: Row): readonly unknown[] {
    return this.#fields.map((field) => row[field]);
  }

  /** The parameters of `insertAll`. */
  arrays(rows: readonly Row[]): readonly (readonly unknown[])[] {
    return this.#fields.map((field) => rows.map((row) => row[field]));
  }
}

const toColumn = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const apiKeys = new Table<ApiKeyRecord>('api_keys', {
  id: 'text',
  organization: 'text',
  hash: 'text',
  description: 'text',
  createdAt: 'bigint',
  expiresAt: 'bigint',
  revokedAt: 'bigint',
  revocationReason: 'text',
  lastUsedAt: 'bigint',
});

export const connectors = new Table<ConnectorRecord>('connectors', {
  id: 'text',
  organization: 'text',
  name: 'text',
  keyHash: 'text',
  activatedAt: 'bigint',
  lastHeartbeatAt: 'bigint',
  revokedAt: 'bigint',
  revocationReason: 'text',
  endedKeyHash: 'text',
  reissueHash: 'text',
});

/** A token and its redemption. */
export interface TokenRow extends Omit<TokenRecord, 'redemption'> {
  readonly redeemedAt: number | null;
  readonly attemptId: string | null;
  readonly idempotencyHash: string | null;
}

export const tokens = new Table<TokenRow>('activation_tokens', {
  hash: 'text',
  organization: 'text',
  description: 'text',
  createdAt: 'bigint',
  expiresAt: 'bigint',
  reissues: 'text',
  redeemedAt: 'bigint',
  attemptId: 'text',
  idempotencyHash: 'text',
});

export function toTokenRow({redemption, ...token}: TokenRecord): TokenRow {
  const {at: redeemedAt, attemptId, idempotencyHash} = redemption ?? unused;
  return {...token, redeemedAt, attemptId, idempotencyHash};
}

const unused = {at: null, attemptId: null, idempotencyHash: null};

export function toToken({redeemedAt, attemptId, idempotencyHash, ...token}: TokenRow): TokenRecord {
  if (redeemedAt === null || attemptId === null) return {...token, redemption: null};
  return {...token, redemption: {at: redeemedAt, attemptId, idempotencyHash}};
}
