import pg from 'pg';
import type {Database} from './database.js';
import {statements} from './statements.js';

/** What an engine says that knows no sizes: undefined_function, feature_not_supported. */
const unknownHere = ['42883', '0A000'];

/**
 * What the tables of the store and their indexes take, in bytes; null where the database cannot tell,
 * as not every engine that speaks PostgreSQL's protocol can.
 *
 * @throws StoreError when the database does not serve it
 */
export async function measureBytes(database: Pick<Database, 'query'>): Promise<number | null> {
  try {
    const [row] = await database.query<{bytes: number | null}>(statements.size);
    return row?.bytes ?? null;
  } catch (error) {
    if (error instanceof pg.DatabaseError && unknownHere.includes(error.code ?? '')) return null;
    throw error;
  }
}
