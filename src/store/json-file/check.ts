import path from 'node:path';
import {type Files, nodeFiles} from '../../system/files.js';
import {StoreError} from '../store.js';
import {fileError} from './files.js';
import {readStore} from './read.js';

/** What an intact store holds. Times are milliseconds since the Unix epoch. */
export interface CheckedStore {
  /** Version of the format. */
  readonly version: number;
  readonly createdAt: number;
  readonly apiKeys: number;
  /** Tokens that are still kept, used or not. */
  readonly tokens: number;
  readonly connectors: number;
  /** Null before the first heartbeat. */
  readonly latestHeartbeatAt: number | null;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Bytes of a write at the end that a crash or the copying interrupted. The next start removes them. */
  readonly unfinishedBytes: number;
}

/**
 * Reads the store in a directory as a start does, and changes nothing: it takes no lock, and the file may belong to
 * another user. A service may use the store meanwhile.
 *
 * @param now the time at which expired tokens are no longer counted, in milliseconds since the Unix epoch
 * @throws StoreError when the store cannot be read as a whole
 */
export async function checkJsonFileStore(
  location: string,
  now: number,
  files: Files = nodeFiles,
): Promise<CheckedStore> {
  const directory = path.resolve(location);
  try {
    const loaded = await readStore({files, directory});
    if (loaded === undefined) {
      throw new StoreError('missing', `There is no store at ${directory}.`);
    }
    const {header, state, end, cut} = loaded;
    const counts = {apiKeys: 0, tokens: 0, closed: 0, connectors: 0};
    for (const [kind] of state.records(now)) counts[kind as keyof typeof counts] += 1;
    const latest = state.connectors.latestHeartbeat();
    return {
      version: header.version,
      createdAt: header.createdAt,
      apiKeys: counts.apiKeys,
      tokens: counts.tokens + counts.closed,
      connectors: counts.connectors,
      latestHeartbeatAt: Number.isFinite(latest) ? latest : null,
      bytes: end.length + cut,
      unfinishedBytes: cut,
    };
  } catch (error) {
    throw fileError(`${directory} cannot be read`, error);
  }
}
