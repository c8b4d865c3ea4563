import path from 'node:path';
import {errorCode} from '../../system/error-codes.js';
import {type Files, nodeFiles} from '../../system/files.js';
import {heapLimits} from '../../system/heap.js';
import {StoreError} from '../store.js';
import {checkExists, checkVacant, readDescription} from './directory.js';
import {fileError} from './files.js';
import {inDirectory, isData} from './format/layout.js';
import {upgrades} from './format/upgrades.js';
import type {ReadContext} from './read/file.js';
import {load} from './read/load.js';

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
  /** Bytes of the files with records. */
  readonly bytes: number;
  /** Bytes of a write at the end that a crash or the copying interrupted. The next start removes them. */
  readonly unfinishedBytes: number;
}

/** Attempts to read a directory whose files change meanwhile. */
const attempts = 3;

/**
 * Reads the store in a directory as a start does, and changes nothing: it takes no lock, and the files may belong to
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
  const context = {files, directory, upgrades, heap: heapLimits()};
  try {
    await checkExists(files, directory);
    for (let attempt = 1; ; attempt += 1) {
      const before = await sizesOf(files, directory);
      try {
        return await readStore(context, now, before);
      } catch (error) {
        // A compaction removes files, and leaves damage only in what was read of both.
        const after = await sizesOf(files, directory);
        if (attempt === attempts || JSON.stringify([...before]) === JSON.stringify([...after]))
          throw error;
      }
    }
  } catch (error) {
    throw fileError(`${directory} cannot be read`, error);
  }
}

/** The sizes of the files with records. @throws StoreError when one is something else than a file */
async function sizesOf(files: Files, directory: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of (await files.readdir(directory)).filter(isData).sort()) {
    const file = inDirectory(directory, name);
    const found = await files.lstat(file).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    if (found?.isFile() === false) throw new StoreError('format', `${file} is not a regular file.`);
    sizes.set(name, found?.size ?? 0);
  }
  return sizes;
}

async function readStore(
  context: ReadContext,
  now: number,
  sizes: ReadonlyMap<string, number>,
): Promise<CheckedStore> {
  const {files, directory} = context;
  const description = await readDescription(context);
  if (description === undefined) {
    await checkVacant(files, directory);
    throw new StoreError('missing', `There is no store at ${directory}.`);
  }
  const {state, lastWrite} = await load(context);
  const latest = state.connectors.latestHeartbeat();
  return {
    version: description.version,
    createdAt: description.createdAt,
    apiKeys: state.apiKeys().length,
    tokens: countOf(state.tokens.snapshot(now)),
    connectors: countOf(state.connectors.records()),
    latestHeartbeatAt: Number.isFinite(latest) ? latest : null,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    unfinishedBytes: lastWrite?.cut ?? 0,
  };
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count += 1;
  return count;
}
