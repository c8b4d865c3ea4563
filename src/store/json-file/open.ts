import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {secretBytes} from '../../domain/secret.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {type Files, nodeFiles, syncDirectory} from '../../system/durable-file.js';
import type {ProcessLock} from '../../system/process-lock.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError, type StoreOptions} from '../store.js';
import {checkAccess, fileError, hasStore, lockDirectory, makeVacant, names} from './directory.js';
import {LogFile} from './log.js';
import {encodeHeader, type ReadContext, readStore} from './read.js';
import {JsonFileStore} from './store.js';
import {StoreFile} from './store-file.js';
import {Writer} from './writer.js';

/** Dependencies that tests replace. */
export interface JsonFileInternals {
  readonly files?: Files;
  readonly clock?: Clock;
}

/**
 * Opens the JSON file store in a directory, and creates both when they do not exist unless `create` is
 * false. The directory is locked until the store is closed or the process ends.
 *
 * @throws StoreError when it cannot be opened
 */
export function openJsonFileStore(
  location: string,
  options: StoreOptions,
  internals: JsonFileInternals = {},
): Promise<JsonFileStore> {
  return useDirectory(location, options, internals, async (context, lock) => {
    if (!(await hasStore(context.files, context.directory)))
      await createFile(context, options.now(), randomBytes(secretBytes), async () => {});
    return openLocked(context, options, lock);
  });
}

/**
 * Creates the directory of a store unless it exists or `create` is false, and locks it. If `use` fails, releases the
 * lock.
 *
 * @throws StoreError when it cannot be used
 */
export async function useDirectory<Result>(
  location: string,
  options: StoreOptions,
  {files = nodeFiles, clock = systemClock}: JsonFileInternals,
  use: (context: ReadContext, lock: ProcessLock) => Promise<Result>,
): Promise<Result> {
  const directory = path.resolve(location);
  try {
    if (!(await hasStore(files, directory))) {
      if (options.create === false)
        throw new StoreError('missing', `There is no store at ${directory}.`);
      // This precedes the lock, so that no lock file is written into a directory with other files.
      await makeVacant(files, directory);
    }
    await checkAccess(files, directory, options.log);
    const lock = await lockDirectory(files, directory, clock);
    try {
      return await use({files, directory}, lock);
    } catch (error) {
      await lock.release().catch(() => {});
      throw error;
    }
  } catch (error) {
    // Errors of file calls have a code. Most others are a StoreError, or a bug.
    throw errorCode(error) === undefined
      ? error
      : fileError(`${directory} cannot be opened`, error);
  }
}

/**
 * Creates the file of a store as a draft, and renames it once it is complete and synced. When this resolves, the store
 * is durable. When it rejects, there is no store, except perhaps after a failed sync of the directory.
 */
export async function createFile<Result>(
  {files, directory}: ReadContext,
  createdAt: number,
  secret: Uint8Array,
  fill: (file: LogFile) => Promise<Result>,
): Promise<Result> {
  const serverSecret = Buffer.from(secret).toString('base64url');
  const draft = await LogFile.create(files, path.join(directory, names.draft));
  try {
    await draft.append([encodeHeader({createdAt, serverSecret})]);
    const filled = await fill(draft);
    await draft.sync();
    await files.rename(draft.path, path.join(directory, names.store));
    await syncDirectory(files, directory);
    return filled;
  } catch (error) {
    await files.rm(draft.path, {force: true}).catch(() => {});
    throw error;
  } finally {
    await draft.close();
  }
}

async function openLocked(
  context: ReadContext,
  options: StoreOptions,
  lock: ProcessLock,
): Promise<JsonFileStore> {
  const {files, directory} = context;
  const {state, header, end, cut, compactBytes} = await readStore(context);
  await files.rm(path.join(directory, names.draft), {force: true});
  // Cuts off the write that a crash left unfinished, which was never acknowledged.
  const log = await LogFile.open(files, path.join(directory, names.store), end);
  try {
    // A killed process may not have synced its rename, and records that readers see must survive a crash.
    await syncDirectory(files, directory);
    if (cut > 0) {
      const found = {path: log.path, keep: end.length, cut};
      options.log.warn(found, 'removed an unfinished write from the end of the store');
    }
    const pause = (work: () => Promise<void>) => writer.pause(work);
    const used = {...context, lock, options, state, header, pause};
    const disk = new StoreFile(used, log, compactBytes);
    const {bounds} = options;
    const writer = new Writer(state, bounds, disk, options.now);
    const serverSecret = Buffer.from(header.serverSecret, 'base64url');
    const store = new JsonFileStore({state, writer, disk, bounds, serverSecret});
    // The previous owner may be suspended during a write, which after a compaction goes to a file that nobody reads.
    if (lock.followsSilentOwner) await store.compact();
    return store;
  } catch (error) {
    await log.close();
    throw error;
  }
}
