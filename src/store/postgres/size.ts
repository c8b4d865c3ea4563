import pg from 'pg';
import type {Database} from './connection/database.js';
import {statements} from './statements.js';

/** SQLSTATEs of engines that cannot report sizes: undefined_function, feature_not_supported. */
const unknownHere = ['42883', '0A000'];

/**
 * Measures the tables of the store and their indexes, in bytes; null when the database cannot report it,
 * like some engines with PostgreSQL's protocol.
 *
 * @throws StoreError when the database does not serve it
 */
export async function measureBytes(
  database: Pick<Database, 'query'>,
  isDistributed = false,
): Promise<number | null> {
  try {
    const statement = isDistributed ? statements.distributedSize : statements.size;
    const [row] = await database.query<{bytes: number | null}>(statement);
    return row?.bytes ?? null;
  } catch (error) {
    if (error instanceof pg.DatabaseError && unknownHere.includes(error.code ?? '')) return null;
    throw error;
  }
}
