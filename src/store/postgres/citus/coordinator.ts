import {StoreError} from '../../store.js';
import type {Database} from '../connection/database.js';
import {describeHost, type PostgresLocation} from '../connection/location.js';
import type {Run} from '../connection/run.js';
import {readNode} from './cluster.js';

/**
 * Refuses a node of Citus without the cluster's metadata: a table that is created there exists on that node alone.
 *
 * @returns whether the server is a node of Citus
 * @throws StoreError `misconfigured`
 */
export async function checkNode(run: Run, server: string): Promise<boolean> {
  const node = await readNode(run);
  if (node?.isAlone && !node.hasTables) {
    throw new StoreError(
      'misconfigured',
      `The database at ${server} has the Citus extension, but knows no node of a cluster. ` +
        'If it is the coordinator, call citus_set_coordinator_host there. ' +
        'If it is a worker, call citus_add_node or start_metadata_sync_to_node on the coordinator.',
    );
  }
  return node !== undefined;
}

/**
 * Runs work that creates or upgrades tables, which on Citus only the coordinator can do.
 *
 * @param database any node
 * @param connect makes the database of another location
 * @param findDone at a worker, the result of the work if it was done before
 * @throws StoreError when the location names no coordinator, or it cannot be reached
 */
export async function withCoordinator<T>(
  database: Database,
  location: PostgresLocation,
  connect: (location: PostgresLocation) => Database,
  work: (coordinator: Database) => Promise<T>,
  findDone: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  const node = await database.transaction(readNode);
  if (!node?.isWorker) return work(database);
  const done = await findDone();
  if (done !== undefined) return done;
  const reasons: string[] = [];
  for (const host of location.hosts) {
    const other = connect({...location, hosts: [host]});
    try {
      if (await isWorker(other, reasons)) continue;
      return await work(other);
    } finally {
      await other.close();
    }
  }
  const named = location.hosts.map(describeHost).join(', ');
  throw new StoreError(
    reasons.length > 0 ? 'unavailable' : 'misconfigured',
    `Only the coordinator of the Citus cluster, ${node.coordinator}, can create or upgrade the tables, and none of ` +
      [`${named} is it. Add it to the URL of the store.`, ...reasons].join(' '),
  );
}

/** Also true, with a reason, when it cannot be reached. */
async function isWorker(database: Database, reasons: string[]): Promise<boolean> {
  try {
    return (await database.transaction(readNode))?.isWorker ?? false;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    reasons.push(error.message);
    return true;
  }
}
