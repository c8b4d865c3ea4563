import {randomBytes} from 'node:crypto';
import pg from 'pg';
import {secretBytes} from '../../domain/secret.js';
import {StoreError, type StoreLog} from '../store.js';
import {distributeTables, shareTables} from './citus/cluster.js';
import type {Database} from './connection/database.js';
import type {Run} from './connection/run.js';

/** Properties that a store gets at its creation. */
interface StoreIdentity {
  readonly serverSecret: Uint8Array;
  /** Whether it is the unfinished copy of another store. */
  readonly isCopying: boolean;
}

/** Properties of a store that its tables hold. */
export interface StoreInfo extends StoreIdentity {
  readonly version: number;
}

/** All tables of a store, in the order of their creation. */
export const tables = ['store_info', 'api_keys', 'activation_tokens', 'connectors'] as const;

/**
 * The statements that migrate the tables from one version to the next. Migrations are never changed or
 * removed. They run in one transaction, in the process that holds the row of `store_info`; the others
 * wait for it, so that any number of processes may start at once.
 */
export type Migration = readonly string[];

/** Makes a text column sort byte by byte, as ids do everywhere else. */
const byteOrder = 'COLLATE "C"';

/**
 * Times are milliseconds since the Unix epoch; `to_timestamp(activated_at / 1000.0)` makes them
 * readable. A heartbeat changes only `last_heartbeat_at`, which is in no index, and each page of
 * connectors has room for new versions of its rows. So the update stays within its page (a HOT update)
 * and leaves almost no work for vacuum.
 */
const createTables: Migration = [
  `CREATE TABLE api_keys (
     id text ${byteOrder} PRIMARY KEY,
     organization text ${byteOrder} NOT NULL,
     hash text ${byteOrder} NOT NULL UNIQUE,
     description text,
     created_at bigint NOT NULL,
     expires_at bigint,
     revoked_at bigint,
     revocation_reason text,
     last_used_at bigint
   )`,
  `CREATE TABLE activation_tokens (
     hash text ${byteOrder} PRIMARY KEY,
     organization text ${byteOrder} NOT NULL,
     description text,
     created_at bigint NOT NULL,
     expires_at bigint NOT NULL,
     redeemed_at bigint,
     connector_id text,
     idempotency_hash text
   )`,
  'CREATE INDEX activation_tokens_by_expiry ON activation_tokens (expires_at)',
  `CREATE TABLE connectors (
     id text ${byteOrder} PRIMARY KEY,
     organization text ${byteOrder} NOT NULL,
     name text NOT NULL,
     key_hash text NOT NULL,
     activated_at bigint NOT NULL,
     last_heartbeat_at bigint,
     revoked_at bigint,
     revocation_reason text
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX connectors_by_organization ON connectors (organization, id)',
  'CREATE INDEX connectors_revoked ON connectors (id) WHERE revoked_at IS NOT NULL',
];

/** Counts the unused tokens of an organization. Without `redeemed_at`, so that redemptions stay HOT updates. */
const countTokens: Migration = [
  'CREATE INDEX activation_tokens_by_organization ON activation_tokens (organization, expires_at)',
];

/** New keys for connectors. `reissue_hash`: the last token for one, which is the only one that may be redeemed. */
const replaceKeys: Migration = [
  'ALTER TABLE connectors ADD COLUMN ended_key_hash text',
  'ALTER TABLE connectors ADD COLUMN reissue_hash text',
  `ALTER TABLE activation_tokens ADD COLUMN reissues text ${byteOrder}`,
  `CREATE INDEX activation_tokens_reissues ON activation_tokens (reissues)
   WHERE reissues IS NOT NULL`,
];

/** All migrations, starting from an empty database. */
export const migrations: readonly Migration[] = [createTables, countTokens, replaceKeys];

const undefinedTable = '42P01';
/** SQLSTATEs of `CREATE TABLE IF NOT EXISTS` when another process creates the table at the same time. */
const madeByAnother: readonly unknown[] = ['23505', '42P07', '42710'];

/**
 * Creates the tables or migrates them to the newest version, and reads the properties of the store.
 * Many processes may do it at once.
 *
 * @throws StoreError when the tables are newer, belong to another application or cannot be created
 */
export async function migrate(
  database: Database,
  log: StoreLog,
  steps: readonly Migration[] = migrations,
): Promise<StoreInfo> {
  await checkEncoding(database);
  const found = await readInfo(database);
  // A build before this one left its tables on the coordinator.
  if (found !== undefined) await shareTables(database);
  if (found?.version === steps.length) return found;
  if (found === undefined) {
    await createInfo(database, {serverSecret: randomBytes(secretBytes), isCopying: false});
  }
  const from = await database.transaction((run) => applySteps(run, steps));
  if (from < steps.length) log.info({from, to: steps.length}, 'store migrated');
  const info = await readInfo(database);
  if (info !== undefined) return info;
  throw new StoreError('damaged', 'The table store_info is empty.');
}

/**
 * Creates the tables of a store that will be the copy of another.
 *
 * @returns undefined when the tables exist already, for instance because another copy has just created them
 * @throws StoreError when they cannot be created
 */
export async function createCopy(
  database: Database,
  log: StoreLog,
  serverSecret: Uint8Array,
): Promise<StoreInfo | undefined> {
  await checkEncoding(database);
  const isMade = await createInfo(database, {serverSecret, isCopying: true});
  return isMade ? migrate(database, log) : undefined;
}

async function checkEncoding(database: Database): Promise<void> {
  const [row] = await database.query<{server_encoding: string}>(showEncoding);
  if (row?.server_encoding.toUpperCase() === 'UTF8') return;
  throw new StoreError(
    'misconfigured',
    `The database keeps text as ${row?.server_encoding}; the store needs UTF8.`,
  );
}

const showEncoding = {name: 'show_encoding', text: 'SHOW server_encoding'};

/** Reads the properties of the store; undefined without tables. */
export async function readInfo(database: Database): Promise<StoreInfo | undefined> {
  try {
    const [row] = await database.query<StoredInfo>(selectInfo);
    return row && {...row, serverSecret: Buffer.from(row.serverSecret, 'base64url')};
  } catch (error) {
    if (codeOf(error) === undefinedTable) return undefined;
    throw error;
  }
}

type StoredInfo = Omit<StoreInfo, 'serverSecret'> & {readonly serverSecret: string};

/** Without a name: PgBouncer would remember that of a statement which failed, and refuse it from then on. */
const selectInfo = {
  text: `SELECT version, server_secret AS "serverSecret", is_copying AS "isCopying"
         FROM store_info WHERE id = 1`,
};

/** The SQLSTATE of an error or of its cause. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/**
 * Creates the first table, `store_info`, and its only row; other processes may do the same at once.
 *
 * @returns whether this call created the row
 */
async function createInfo(
  database: Database,
  {serverSecret, isCopying}: StoreIdentity,
): Promise<boolean> {
  await database.query(createInfoTable).catch((error: unknown) => {
    if (!madeByAnother.includes(codeOf(error))) throw error;
  });
  await shareTables(database);
  const secret = Buffer.from(serverSecret).toString('base64url');
  return (await database.query(insertInfo, [secret, isCopying])).length > 0;
}

const createInfoTable = {
  name: 'create_info',
  text: `CREATE TABLE IF NOT EXISTS store_info (
           id integer PRIMARY KEY CHECK (id = 1),
           version integer NOT NULL,
           server_secret text NOT NULL,
           is_copying boolean NOT NULL,
           first_key_id text,
           checked_at bigint
         )`,
};

const insertInfo = {
  name: 'insert_info',
  text: `INSERT INTO store_info (id, version, server_secret, is_copying) VALUES (1, 0, $1, $2)
         ON CONFLICT DO NOTHING RETURNING id`,
};

/** Applies missing migrations. @returns the version before them */
async function applySteps(run: Run, steps: readonly Migration[]): Promise<number> {
  const [row] = await run<{version: number}>(
    'SELECT version FROM store_info WHERE id = 1 FOR UPDATE',
  );
  const from = row?.version ?? 0;
  if (from > steps.length) {
    throw new StoreError(
      'format',
      `The tables have version ${from}; this build knows up to version ${steps.length}.`,
    );
  }
  for (const step of steps.slice(from)) for (const text of step) await run(text);
  if (from === 0) await distributeTables(run);
  await run(`UPDATE store_info SET version = ${steps.length} WHERE id = 1`);
  return from;
}
