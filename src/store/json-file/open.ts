import {randomBytes} from 'node:crypto';
import path from 'node:path';
import {secretBytes} from '../../domain/secret.js';
import {clockTolerance} from '../../domain/time.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {syncDirectory, writeDurably} from '../../system/durable-file.js';
import {type Files, nodeFiles} from '../../system/files.js';
import {heapLimits} from '../../system/heap.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError, type StoreLog, type StoreOptions} from '../store.js';
import {RecordBounds} from './bounds.js';
import {Compactor} from './compactor.js';
import {checkAccess, checkExists, checkVacant, hasStore, makeDirectory} from './directory.js';
import {FileDisk} from './file-disk.js';
import {fileError} from './files.js';
import {inDirectory, names} from './layout.js';
import {encodeLines} from './lines.js';
import {LogFile} from './log-file.js';
import {encodeHeader, type Loaded, type ReadContext, readStore} from './read.js';
import type {State} from './state/state.js';
import {JsonFileStore} from './store.js';
import {StoreLock} from './store-lock.js';
import {Writer} from './writer.js';

/** Options beyond `StoreOptions`, for tests and for copies. */
export interface JsonFileInternals {
  readonly files?: Files;
  readonly clock?: Clock;
  /** The server secret of a new store that is a copy of another; 32 bytes. */
  readonly serverSecret?: Uint8Array;
}

/**
 * Opens the JSON file store in a directory, and creates both when they do not exist unless `create` is
 * false. The directory is locked until the store is closed or the process ends.
 *
 * @throws StoreError when it cannot be opened
 */
export async function openJsonFileStore(
  location: string,
  options: StoreOptions,
  {
    files = nodeFiles,
    clock = systemClock,
    serverSecret = randomBytes(secretBytes),
  }: JsonFileInternals = {},
): Promise<JsonFileStore> {
  const directory = path.resolve(location);
  const context = {files, directory};
  try {
    if (options.create === false) await checkExists(files, directory);
    await makeDirectory(files, directory);
    await checkAccess(files, directory, options.log);
    // Before the lock, so that nothing is written into a foreign directory.
    if (!(await hasStore(files, directory))) await checkVacant(files, directory);
    const lock = await StoreLock.acquire(files, directory, clock);
    try {
      return await openLocked(context, options, lock, serverSecret);
    } catch (error) {
      await lock.release().catch(() => {});
      throw error;
    }
  } catch (error) {
    // An error without a code is not from a file call: a bug, not a disk error.
    throw errorCode(error) === undefined
      ? error
      : fileError(`${directory} cannot be opened`, error);
  }
}

async function openLocked(
  context: ReadContext,
  options: StoreOptions,
  lock: StoreLock,
  serverSecret: Uint8Array,
): Promise<JsonFileStore> {
  const {files, directory} = context;
  const loaded = (await readStore(context)) ?? (await createStore(context, options, serverSecret));
  warnOfFuture(loaded.state, options);
  await files.rm(inDirectory(directory, names.temporary(names.store)), {force: true});
  const file = await openFile(context, loaded, options.log);
  try {
    const store = makeStore(context, options, loaded, file, lock);
    // Its owner before may be stopped in the middle of a write: it then writes into a file that nobody reads.
    if (lock.followsSilentOwner) await store.compact();
    return store;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Creates the file of an empty store. */
async function createStore(
  context: ReadContext,
  {now}: StoreOptions,
  secret: Uint8Array,
): Promise<Loaded> {
  const {files, directory} = context;
  const store = inDirectory(directory, names.store);
  const serverSecret = Buffer.from(secret).toString('base64url');
  const {bytes} = encodeLines([encodeHeader({createdAt: now(), serverSecret})], 0);
  await writeDurably(files, store, bytes, {draft: names.temporary(store)});
  const loaded = await readStore(context);
  if (loaded === undefined) throw new StoreError('unavailable', `${store} was removed.`);
  return loaded;
}

/**
 * Opens the file to append to it. Cuts off the write that a crash left unfinished, which was never acknowledged, and
 * syncs the rest and its name: a killed process may have written it without a sync, and what a reader has seen must not
 * be lost later.
 */
async function openFile(
  {files, directory}: ReadContext,
  {end, cut}: Loaded,
  log: StoreLog,
): Promise<LogFile> {
  const file = inDirectory(directory, names.store);
  const opened = await LogFile.open(files, file, end);
  try {
    await opened.settle();
    await syncDirectory(files, directory);
  } catch (error) {
    await opened.close();
    throw error;
  }
  if (cut > 0) {
    const found = {path: file, keep: end.length, cut};
    log.warn(found, 'removed an unfinished write from the end of the store');
  }
  return opened;
}

/**
 * Warns of heartbeats in the future, which show that the clock was set back. Their connectors cannot be
 * judged, because a last heartbeat never goes backwards.
 */
function warnOfFuture(state: State, {now, log}: StoreOptions): void {
  const latest = state.connectors.latestHeartbeat();
  if (latest - now() <= clockTolerance) return;
  log.warn(
    {seconds: Math.round((latest - now()) / 1000), latest: new Date(latest).toISOString()},
    'heartbeats are recorded ahead of the clock; until it catches up, their connectors are shown as online regardless of their state',
  );
}

function makeStore(
  {files, directory}: ReadContext,
  {log, now, onSync, bounds}: StoreOptions,
  {state, header, compactBytes}: Loaded,
  file: LogFile,
  lock: StoreLock,
): JsonFileStore {
  const disk = new FileDisk(files, directory, file, lock, {
    synced: (seconds) => onSync?.(seconds),
    settled: () => compactor.compactIfDue(),
  });
  const recordBounds = bounds && new RecordBounds(bounds, heapLimits().records);
  const writer = new Writer(state, recordBounds, disk);
  const compactor = new Compactor({
    files,
    directory,
    state,
    writer,
    disk,
    log,
    now,
    header: encodeHeader(header),
    compactBytes,
  });
  const serverSecret = Buffer.from(header.serverSecret, 'base64url');
  const parts = {state, writer, bounds: recordBounds, serverSecret};
  return new JsonFileStore(parts, {disk, compactor, lock});
}
