import {randomBytes} from 'node:crypto';
import pg from 'pg';
import {secretBytes} from '../../domain/secret.js';
import {StoreError} from '../store.js';
import type {Database, Run} from './database.js';
import {apiKeys, connectors, tokens} from './tables.js';

/** The version of these tables. */
export const schemaVersion = 1;

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
  // For counting unused tokens. The index omits `redemption`, so that redemptions can be HOT updates.
  'CREATE INDEX activation_tokens_by_organization ON activation_tokens (organization, expires_at)',
  connectors.create,
  'CREATE INDEX connectors_by_organization ON connectors (organization, id)',
  'CREATE INDEX connectors_revoked ON connectors (id) WHERE revoked_at IS NOT NULL',
];

const undefinedTable = '42P01';
/** SQLSTATEs of `CREATE TABLE` for a table that exists, or that another process is creating. */
const isThere: readonly unknown[] = ['23505', '42P07', '42710'];

/**
 * Reads the server secret of the store. Without a store it creates one, which many processes may do at once.
 *
 * @param create false: fails instead
 * @throws StoreError when the tables have another version, belong to another application or cannot be created
 */
export async function openSchema(database: Database, create: boolean): Promise<Uint8Array> {
  const found = await readSecret(database);
  if (found !== undefined) return found;
  if (!create)
    throw new StoreError('missing', `There is no store in the database ${database.name}.`);
  const secret = randomBytes(secretBytes);
  return (await createSchema(database, secret, async () => secret)) ?? openSchema(database, create);
}

/**
 * Creates the tables of a store and fills them, in one transaction.
 *
 * @returns the result of `fill`; undefined when a store exists, perhaps just created by another process
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
    if (isThere.includes(codeOf(error)) && (await readSecret(database)) !== undefined) return;
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
 * Reads the server secret of the store; undefined without tables.
 *
 * @throws StoreError when the tables have another version
 */
async function readSecret(database: Database): Promise<Uint8Array | undefined> {
  const text = 'SELECT version, server_secret AS secret FROM store_info WHERE id = 1';
  const rows = await database
    .query<{version: number; secret: string}>(text)
    .catch((error: unknown) => {
      if (codeOf(error) !== undefinedTable) throw error;
    });
  if (rows === undefined) return undefined;
  const [row] = rows;
  if (row === undefined) throw new StoreError('damaged', 'The table store_info is empty.');
  if (row.version === schemaVersion) return Buffer.from(row.secret, 'base64url');
  const message = `The tables have version ${row.version}; this build knows version ${schemaVersion} only.`;
  throw new StoreError('format', message);
}

/** The SQLSTATE of an error or of its cause. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof StoreError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}
