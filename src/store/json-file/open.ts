import {constants} from 'node:fs';
import path from 'node:path';
import {clockTolerance} from '../../domain/time.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {errorCode} from '../../system/error-codes.js';
import {type Files, nodeFiles} from '../../system/files.js';
import {type HeapLimits, heapLimits} from '../../system/heap.js';
import type {StoreLog, StoreOptions} from '../store.js';
import {checkAccess} from './access.js';
import {RecordBounds} from './bounds.js';
import {
  checkExists,
  checkVacant,
  type Description,
  initializeDirectory,
  makeDirectory,
  readDescription,
  tightenModes,
} from './directory.js';
import {fileError, noFollow} from './files.js';
import {numbersOf} from './format/layout.js';
import {upgrades as ownUpgrades, type Upgrades} from './format/upgrades.js';
import {Compactor, removeLeftovers} from './journal/compactor.js';
import {detachSegment, Segment} from './journal/segment.js';
import {Journal} from './journal/writer.js';
import {StoreLock} from './lock/store-lock.js';
import type {ReadContext} from './read/file.js';
import {type LastWrite, type Loaded, load} from './read/load.js';
import {JsonFileStore} from './store.js';

/** Options beyond `StoreOptions`, for tests and for copies. */
export interface JsonFileInternals {
  readonly files?: Files;
  readonly clock?: Clock;
  readonly upgrades?: Upgrades;
  readonly heap?: HeapLimits;
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
    upgrades = ownUpgrades,
    heap = heapLimits(),
    serverSecret,
  }: JsonFileInternals = {},
): Promise<JsonFileStore> {
  const directory = path.resolve(location);
  try {
    return await openDirectory({files, directory, upgrades, heap}, options, clock, serverSecret);
  } catch (error) {
    // An error without a code is not from a file call: a bug, not a disk error.
    throw errorCode(error) === undefined
      ? error
      : fileError(`${directory} cannot be opened`, error);
  }
}

async function openDirectory(
  context: ReadContext,
  options: StoreOptions,
  clock: Clock,
  serverSecret: Uint8Array | undefined,
): Promise<JsonFileStore> {
  const {files, directory} = context;
  if (options.create === false) await checkExists(files, directory);
  await makeDirectory(files, directory);
  await checkAccess(files, directory, options.log);
  // Before the lock, so that nothing is written into a foreign directory.
  if ((await readDescription(context)) === undefined) await checkVacant(files, directory);
  const lock = await StoreLock.acquire(files, directory, clock);
  try {
    return await openLocked(context, options, lock, serverSecret);
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

async function openLocked(
  context: ReadContext,
  options: StoreOptions,
  lock: StoreLock,
  serverSecret: Uint8Array | undefined,
): Promise<JsonFileStore> {
  const {files, directory} = context;
  const {log, now} = options;
  const description =
    (await readDescription(context)) ??
    (await initializeDirectory(files, directory, now(), serverSecret));
  const last = numbersOf('journal', await files.readdir(directory)).at(-1);
  if (lock.followsSilentOwner && last !== undefined) await detachSegment(files, directory, last);
  const loaded = await load(context);
  warnOfFuture(loaded.state.connectors.latestHeartbeat(), now(), log);
  await tightenModes(files, directory, log);
  if (loaded.lastWrite !== undefined) await truncateTornWrite(files, loaded.lastWrite, options);
  await removeLeftovers(files, directory, loaded.first);
  return createStore(context, options, {lock, description, loaded});
}

/**
 * Warns of heartbeats in the future, which show that the clock was set back. Their connectors cannot be
 * judged, because a last heartbeat never goes backwards.
 */
function warnOfFuture(latest: number, now: number, log: StoreLog): void {
  if (latest - now <= clockTolerance) return;
  log.warn(
    {seconds: Math.round((latest - now) / 1000), latest: new Date(latest).toISOString()},
    'heartbeats are recorded ahead of the clock; until it catches up, their connectors are shown as online regardless of their state',
  );
}

/**
 * Cuts off the write that a crash left unfinished, which was never acknowledged, and syncs the rest: a
 * killed process may have written it without a sync, and what a reader has seen must not be lost
 * later. The next write may go to another segment, if the crash came just after it was created.
 */
async function truncateTornWrite(
  files: Files,
  {path, keep, cut}: LastWrite,
  {log}: StoreOptions,
): Promise<void> {
  const handle = await files.open(path, constants.O_RDWR | noFollow);
  try {
    if (cut > 0) await handle.truncate(keep);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  if (cut === 0) return;
  log.warn({path, keep, cut}, 'removed an unfinished write from the end of the journal');
}

async function createStore(
  {files, directory, heap}: ReadContext,
  {log, now, onSync, onCompactionFailed, bounds}: StoreOptions,
  {lock, description, loaded}: {lock: StoreLock; description: Description; loaded: Loaded},
): Promise<JsonFileStore> {
  const {state} = loaded;
  const segment = await Segment.open(files, directory, loaded.last, loaded.end);
  const journal = new Journal(files, directory, segment, loaded.journalBytes, {
    requireHeld: () => lock.requireHeld(),
    synced: (seconds) => onSync?.(seconds),
    settled: () => compactor.compactIfDue(),
  });
  const compactor = new Compactor({
    files,
    directory,
    state,
    journal,
    lock,
    log,
    now,
    onFailed: onCompactionFailed,
    snapshotBytes: loaded.snapshotBytes,
  });
  const serverSecret = Buffer.from(description.serverSecret, 'base64url');
  return new JsonFileStore({
    state,
    journal,
    compactor,
    lock,
    serverSecret,
    bounds: bounds && new RecordBounds(state.usage, bounds, heap.records),
  });
}
