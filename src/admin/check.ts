import {timestamp, timestampOrNull} from '../domain/timestamp.js';
import {AppError} from '../errors.js';
import type {StoreErrorKind} from '../store/store.js';
import type {Files} from '../system/durable-file.js';

/** An intact store, as `store check --json` prints it. */
export type CheckJson = Awaited<ReturnType<typeof checkStore>>;

/**
 * Reads the store in a directory as the service does at its start, and changes nothing.
 *
 * @param now milliseconds since the Unix epoch; tokens that expired long ago are not counted
 * @throws AppError when the store cannot be read completely; `usage` for a database
 */
export async function checkStore(location: string, now: number, files?: Files) {
  const [{inspectStore}, {isPostgresLocation}, {explainStoreError}] = await Promise.all([
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
    const {header, state, end, cut} = await inspectStore(location, files);
    state.settle(now);
    const connectors = [...state.connectors.values()];
    let latest = 0;
    for (const {lastHeartbeatAt} of connectors) latest = Math.max(latest, lastHeartbeatAt ?? 0);
    return {
      store: location,
      version: header.version,
      created_at: timestamp(header.createdAt),
      api_keys: state.apiKeys.size,
      // The tokens that the store still keeps, used or not.
      tokens: state.tokens.size,
      connectors: connectors.length,
      latest_heartbeat_at: timestampOrNull(latest || null),
      bytes: end.length + cut,
      // Bytes of a write that a crash or the copying interrupted. The next start removes them.
      unfinished_bytes: cut,
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
