import {randomBytes} from 'node:crypto';
import pg from 'pg';
import {atEndOfTest} from '../process/at-end-of-test.js';
import {PostgresCluster} from './cluster.js';

/**
 * One PostgreSQL for the whole test run: that of `TEST_DATABASE_URL`, or a private one that starts when
 * the first test needs it.
 */
let server: Promise<{readonly url: string; remove(): Promise<void>}> | undefined;

async function startServer(): Promise<{readonly url: string; remove(): Promise<void>}> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return {url: given, remove: async () => {}};
  const cluster = await PostgresCluster.make();
  await cluster.start();
  return {url: cluster.url(), remove: () => cluster.remove()};
}

after(async () => {
  await (await server)?.remove();
});

/** A separate schema in the database, which a store treats as the whole database. */
export interface TestDatabase {
  /** The URL for a store. */
  readonly url: string;
  /** Runs statements in the schema. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/**
 * Makes an empty test database, which is dropped at the end of the test.
 *
 * @param settings of the sessions that use the URL
 * @param url of the database to make it in; default: that of the test run
 */
export async function makeTestDatabase(
  settings: Readonly<Record<string, string>> = {},
  url?: string,
): Promise<TestDatabase> {
  if (url === undefined) server ??= startServer();
  const base = url ?? (await server)?.url ?? '';
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const options = Object.entries({search_path: schema, ...settings}).map(
    ([n, v]) => `-c ${n}=${v}`,
  );
  const separator = base.includes('?') ? '&' : '?';
  const own = `${base}${separator}options=${encodeURIComponent(options.join(' '))}`;
  const client = new pg.Client({connectionString: own});
  client.on('error', () => {});
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  return {
    url: own,
    query: async (sql, values) => (await client.query(sql, values)).rows,
    drop: atEndOfTest(async () => {
      await client.query('SET client_min_messages = warning');
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    }),
  };
}
