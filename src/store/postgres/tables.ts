import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Database, Statement} from './database.js';

/** Text that sorts byte by byte, as ids do everywhere else. */
const id = 'text COLLATE "C" NOT NULL';

/** A table whose rows are records of the domain: the columns are named like the fields, in snake case. */
export class Table<Row extends object> {
  /** The field of the primary key. */
  readonly key: keyof Row & string;
  readonly create: string;
  /** Selects whole rows, with columns named like the fields. */
  readonly select: string;
  /** Writes rows; each replaces the row with the same key. See `values`. */
  readonly write: Statement;
  readonly #fields: readonly (keyof Row & string)[];
  readonly #name: string;

  /**
   * @param types the definition of the column of each field; the first is the primary key
   * @param options storage options of the table
   */
  constructor(name: string, types: Readonly<Record<keyof Row, string>>, options = '') {
    this.#name = name;
    this.#fields = Object.keys(types) as (keyof Row & string)[];
    [this.key] = this.#fields as [keyof Row & string];
    const columns = this.#fields.map((field) =>
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    const [key, ...others] = columns;
    const definitions = this.#fields.map((field, at) => `${columns[at]} ${types[field]}`);
    this.create = `CREATE TABLE ${name} (${definitions.join(', ')}, PRIMARY KEY (${key})) ${options}`;
    const selected = columns.map((column, at) => `${column} AS "${this.#fields[at]}"`);
    this.select = `SELECT ${selected.join(', ')} FROM ${name}`;
    // The first word of a definition is the type.
    const arrays = this.#fields.map((field, at) => `$${at + 1}::${types[field].split(' ', 1)}[]`);
    this.write = {
      name: `write_${name}`,
      text: `INSERT INTO ${name} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})
             ON CONFLICT (${key}) DO UPDATE
             SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    };
  }

  /** The parameters of `write`. */
  values(rows: readonly Row[]): readonly (readonly unknown[])[] {
    return this.#fields.map((field) => rows.map((row) => row[field]));
  }

  /**
   * Reads rows by the values of a column. A single value has a separate statement, because PostgreSQL plans a short
   * array again at each execution.
   *
   * @returns the existing rows, by their values of the column
   */
  async find(
    database: Database,
    values: readonly string[],
    field: keyof Row & string = this.key,
  ): Promise<ReadonlyMap<string, Row>> {
    const wanted = [...new Set(values)];
    const [number, by, value] =
      wanted.length === 1 ? ['one', '$1', wanted[0]] : ['many', 'ANY($1::text[])', wanted];
    const name = `find_${number}_of_${this.#name}_by_${field}`;
    const text = `${this.select} WHERE ${field} = ${by}`;
    const rows = await database.query<Row>({name, text}, [value]);
    return new Map(rows.map((row) => [String(row[field]), row]));
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
 * A heartbeat changes `last_heartbeat_at` and sometimes `senders`, which are in no index, and each page has room for new
 * versions of its rows. So the update usually stays within its page (HOT) and leaves almost no work for vacuum.
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
    senders: 'json',
  },
  'WITH (fillfactor = 70)',
);

export const tokens = new Table<TokenRecord>('activation_tokens', {
  hash: id,
  organization: id,
  description: 'text',
  createdAt: 'bigint NOT NULL',
  expiresAt: 'bigint NOT NULL',
  reissues: 'text COLLATE "C"',
  redemption: 'json',
});

/**
 * The statements of the store, by their names. They read and write records; `src/domain` decides what to write. Result
 * columns are named like the fields of records.
 */
const texts = {
  listApiKeys: `${apiKeys.select} ORDER BY created_at, id`,
  lockApiKey: `${apiKeys.select} WHERE id = $1 FOR UPDATE`,
  lockStore: 'SELECT id FROM store_info WHERE id = 1 FOR UPDATE',
  findAnyApiKey: 'SELECT id FROM api_keys LIMIT 1',

  /** Locks one bound of an organization, by its kind and name, until the end of the transaction. */
  lockBound: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',

  lockToken: `${tokens.select} WHERE hash = $1 FOR UPDATE`,
  /** Counts an organization's tokens that are unused and expire after a time, up to a number. */
  countTokens: `SELECT count(*) AS count FROM (
      SELECT 1 FROM activation_tokens
      WHERE organization = $1 AND expires_at > $3 AND redemption IS NULL AND reissues IS NULL
      LIMIT $2) AS counted`,
  forgetTokens: 'DELETE FROM activation_tokens WHERE expires_at < $1',

  listConnectors: `${connectors.select} WHERE organization = $1 AND id > $2 ORDER BY id LIMIT $3`,
  listRevokedConnectors: `${connectors.select} WHERE revoked_at IS NOT NULL ORDER BY id`,
  lockConnector: `${connectors.select} WHERE id = $1 FOR UPDATE`,
  removeConnectors: 'DELETE FROM connectors WHERE id = ANY($1::text[])',
  /** Counts an organization's connectors, up to a number. */
  countConnectors: `SELECT count(*) AS count FROM (
      SELECT 1 FROM connectors WHERE organization = $1 LIMIT $2) AS counted`,
  /** The latest time wins. The rows are locked in the order of the arrays; see `indexOnly` in `database.ts`. */
  recordHeartbeats: `UPDATE connectors AS c
    SET last_heartbeat_at = GREATEST(c.last_heartbeat_at, beat.at),
      senders = COALESCE(beat.senders, c.senders)
    FROM unnest($1::text[], $2::bigint[], $3::json[]) AS beat (id, at, senders) WHERE c.id = beat.id
    RETURNING c.id, c.last_heartbeat_at AS "lastHeartbeatAt", c.revoked_at AS "revokedAt"`,

  measure: `SELECT count(*) FILTER (WHERE live AND at IS NULL) AS never,
      count(*) FILTER (WHERE live AND at >= $1) AS online,
      count(*) FILTER (WHERE live AND at >= $2 AND at < $1) AS stale,
      count(*) FILTER (WHERE live AND at < $2) AS offline,
      count(*) FILTER (WHERE NOT live) AS revoked
    FROM (SELECT last_heartbeat_at AS at, revoked_at IS NULL AS live FROM connectors) AS c`,
  /** The most unused tokens that expire after a time, and the most connectors, of any one organization. */
  measureLargest: `SELECT (SELECT COALESCE(max(count), 0) FROM (
        SELECT count(*) AS count FROM activation_tokens
        WHERE expires_at > $1 AND redemption IS NULL AND reissues IS NULL
        GROUP BY organization) AS t) AS tokens,
      (SELECT COALESCE(max(count), 0) FROM (
        SELECT count(*) AS count FROM connectors GROUP BY organization) AS c) AS connectors`,
  /** Bytes of the tables with indexes and TOAST; the `search_path` finds the tables, as in every statement. */
  size: `SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint AS bytes
    FROM unnest(ARRAY['store_info', 'api_keys', 'activation_tokens', 'connectors']) AS t (name)`,
  /** Locks the tables in the same order as changes do. */
  lockTables: 'LOCK TABLE api_keys, activation_tokens, connectors IN SHARE MODE',
  /** Counts the writes that wait for `lockTables` of this session. */
  countWaiting: `SELECT count(*) AS waiting FROM pg_locks
    WHERE NOT granted AND mode = 'RowExclusiveLock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
  /** Writes the time of the check: if the database acknowledges it, it acknowledges other writes too. */
  check: 'UPDATE store_info SET checked_at = $1 WHERE id = 1',
} as const;

type Name = keyof typeof texts;

export const statements = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, {name, text}]),
) as Readonly<Record<Name, Statement>>;
