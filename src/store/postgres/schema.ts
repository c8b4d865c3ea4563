import {randomBytes} from 'node:crypto';
import pg from 'pg';
import {secretBytes} from '../../domain/secret.js';
import {StoreError} from '../store.js';
import type {Database, Run} from './database.js';
import {apiKeys, connectors, tokens} from './tables.js';

/** The version of these tables. */
export const schemaVersion = 1;

/** Properties of a store that its tables hold. */
export interface StoreInfo {
  readonly version: number;
  readonly serverSecret: Uint8Array;
}

/** Times are milliseconds since the Unix epoch; `to_timestamp(activated_at / 1000.0)` makes them readable. */
const tables = [
  `CREATE TABLE store_info (
     id integer PRIMARY KEY CHECK (id = 1),
     version integer NOT NULL,
     server_secret text NOT NULL,
     checked_at bigint
   )`,
  apiKeys.create,
  tokens.create,
  'CREATE INDEX activation_tokens_by_expiry ON activation_tokens (expires_at)',
  // Counts the unused tokens of an organization. Without `redemption`, so that redemptions stay HOT updates.
  'CREATE INDEX activation_tokens_by_organization ON activation_tokens (organization, expires_at)',
  connectors.create,
  'CREATE INDEX connectors_by_organization ON connectors (organization, id)',
  'CREATE INDEX connectors_revoked ON connectors (id) WHERE revoked_at IS NOT NULL',
];

const undefinedTable = '42P01';
/** SQLSTATEs of `CREATE TABLE` when the table is there, or another process creates it at the same time. */
const isThere: readonly unknown[] = ['23505', '42P07', '42710'];

/**
 * Reads the properties of the store, and creates its tables if there are none. Many processes may do it at once.
 *
 * @throws StoreError when the tables have another version, belong to another application or cannot be created
 */
export async function openSchema(database: Database): Promise<StoreInfo> {
  const serverSecret = randomBytes(secretBytes);
  const made = {version: schemaVersion, serverSecret};
  return (
    (await readInfo(database)) ??
    (await createSchema(database, serverSecret, async () => made)) ??
    findSchema(database)
  );
}

/** Reads the properties of a store that must be there. @throws StoreError of kind `missing` */
export async function findSchema(database: Database): Promise<StoreInfo> {
  const info = await readInfo(database);
  if (info !== undefined) return info;
  throw new StoreError('missing', `There is no store in the database ${database.name}.`);
}

/**
 * Creates the tables of a store and fills them, in one transaction.
 *
 * @returns undefined when there is a store, also when another process has created it meanwhile
 * @throws StoreError of kind `format` when one of the tables belongs to another application
 */
export async function createSchema<Result>(
  database: Database,
  serverSecret: Uint8Array,
  fill: (run: Run) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await database.longTransaction(async (run) => {
      await createTables(run, serverSecret);
      return fill(run);
    });
  } catch (error) {
    if (isThere.includes(codeOf(error)) && (await readInfo(database)) !== undefined) return;
    throw error;
  }
}

async function createTables(run: Run, serverSecret: Uint8Array): Promise<void> {
  const [row] = await run<{server_encoding: string}>('SHOW server_encoding');
  if (row?.server_encoding !== 'UTF8') {
    const message = `The database keeps text as ${row?.server_encoding}; the store needs UTF8.`;
    throw new StoreError('misconfigured', message);
  }
  for (const text of tables) await run(text);
  const secret = Buffer.from(serverSecret).toString('base64url');
  const text = 'INSERT INTO store_info (id, version, server_secret) VALUES (1, $1, $2)';
  await run({name: 'create_info', text}, [schemaVersion, secret]);
}

/**
 * Reads the properties of the store; undefined without tables.
 *
 * @throws StoreError when the tables have another version
 */
async function readInfo(database: Database): Promise<StoreInfo | undefined> {
  const text = 'SELECT version, server_secret AS secret FROM store_info WHERE id = 1';
  let rows: readonly {version: number; secret: string}[];
  try {
    rows = await database.query(text);
  } catch (error) {
    if (codeOf(error) === undefinedTable) return undefined;
    throw error;
  }
  const [row] = rows;
  if (row === undefined) throw new StoreError('damaged', 'The table store_info is empty.');
  const {version, secret} = row;
  if (version === schemaVersion) return {version, serverSecret: Buffer.from(secret, 'base64url')};
  throw new StoreError(
    'format',
    `The tables have version ${version}; this build knows version ${schemaVersion} only.`,
  );
}

/** The SQLSTATE of an error or of its cause. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}
