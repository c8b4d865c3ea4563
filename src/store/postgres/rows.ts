import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Statement} from './database.js';

/** Text that sorts byte by byte, as ids do everywhere else. */
const id = 'text COLLATE "C" NOT NULL';

/** A table whose rows are records of the domain: the columns are named like the fields, in snake case. */
export class Table<Row extends object> {
  /** The field of the primary key. */
  readonly key: keyof Row & string;
  /** Creates the table. */
  readonly create: string;
  /** The columns to read, each named like its field. */
  readonly columns: string;
  /** Writes a row, in the place of the one with its key. */
  readonly write: Statement;
  /** Reads rows in the order of their keys, after a key. */
  readonly readPage: Statement;
  /** Inserts many rows, with an array for each column. */
  readonly insertAll: Statement;
  readonly #fields: readonly (keyof Row & string)[];

  /**
   * @param types the definition of the column of each field; the first is the primary key
   * @param options of the table
   */
  constructor(name: string, types: Readonly<Record<keyof Row, string>>, options = '') {
    this.#fields = Object.keys(types) as (keyof Row & string)[];
    [this.key] = this.#fields as [keyof Row & string];
    const columns = this.#fields.map((field) =>
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    const [key, ...others] = columns;
    const definitions = this.#fields.map((field, at) => `${columns[at]} ${types[field]}`);
    this.create = `CREATE TABLE ${name} (${definitions.join(', ')}, PRIMARY KEY (${key})) ${options}`;
    this.columns = columns.map((column, at) => `${column} AS "${this.#fields[at]}"`).join(', ');
    const into = `INSERT INTO ${name} (${columns.join(', ')})`;
    // The first word of a definition is the type.
    const parameters = this.#fields.map((field, at) => `$${at + 1}::${types[field].split(' ', 1)}`);
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

export const apiKeys = new Table<ApiKeyRecord>('api_keys', {
  id,
  organization: id,
  hash: `${id} UNIQUE`,
  access: 'text NOT NULL',
  description: 'text',
  createdAt: 'bigint NOT NULL',
  expiresAt: 'bigint',
  revokedAt: 'bigint',
  revocationReason: 'text',
  lastUsedAt: 'bigint',
});

/**
 * A heartbeat changes only `last_heartbeat_at`, which is in no index, and each page has room for new versions of its
 * rows. So the update stays within its page (a HOT update) and leaves almost no work for vacuum.
 */
export const connectors = new Table<ConnectorRecord>(
  'connectors',
  {
    id,
    organization: id,
    name: 'text NOT NULL',
    keyHash: 'text NOT NULL',
    activatedAt: 'bigint NOT NULL',
    lastHeartbeatAt: 'bigint',
    revokedAt: 'bigint',
    revocationReason: 'text',
    endedKeyHash: 'text',
    reissueHash: 'text',
  },
  'WITH (fillfactor = 70)',
);

/** A token and its redemption. */
export interface TokenRow extends Omit<TokenRecord, 'redemption'> {
  readonly redeemedAt: number | null;
  readonly attemptId: string | null;
  readonly idempotencyHash: string | null;
}

export const tokens = new Table<TokenRow>('activation_tokens', {
  hash: id,
  organization: id,
  description: 'text',
  createdAt: 'bigint NOT NULL',
  expiresAt: 'bigint NOT NULL',
  reissues: 'text COLLATE "C"',
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
