import {timestamp, timestampOrNull} from '../domain/timestamp.js';
import {AppError} from '../errors.js';
import type {StoreErrorKind} from '../store/store.js';

/** An intact store, as `store check --json` prints it. */
export type CheckJson = Awaited<ReturnType<typeof checkStore>>;

/**
 * Checks the store in a directory, and changes nothing.
 *
 * @throws AppError when it cannot be read as a whole, and `usage` for a database
 */
export async function checkStore(location: string, now: number) {
  const [{checkJsonFileStore}, {isPostgresLocation}, {explainStoreError}] = await Promise.all([
    import('../store/json-file/read.js'),
    import('../store/open.js'),
    import('../server/admin/store-errors.js'),
  ]);
  if (isPostgresLocation(location)) {
    throw new AppError('usage', 'A database has no files that this command could check.', {
      hint: 'Check it with pg_amcheck, or read every record with: connectorctl store copy URL DIRECTORY',
    });
  }
  try {
    const checked = await checkJsonFileStore(location, now);
    return {
      store: location,
      version: checked.version,
      created_at: timestamp(checked.createdAt),
      api_keys: checked.apiKeys,
      // The kept tokens, used or not.
      tokens: checked.tokens,
      connectors: checked.connectors,
      latest_heartbeat_at: timestampOrNull(checked.latestHeartbeatAt),
      bytes: checked.bytes,
      // Bytes of a write that a crash or the copying interrupted.
      unfinished_bytes: checked.unfinishedBytes,
    };
  } catch (error) {
    throw explainStoreError(error, ({kind}) => hints[kind]);
  }
}

/** Hints for errors whose usual hint does not fit a copy of a store. */
const hints: Partial<Readonly<Record<StoreErrorKind, string>>> = {
  damaged: 'Do not use it as a backup. If it was copied while a service used it, copy again.',
  missing: 'Name the directory that holds the store.jsonl of the store.',
};
