import path from 'node:path';
import type {Changes} from '../../domain/changes.js';
import {day} from '../../domain/time.js';
import {syncDirectory} from '../../system/durable-file.js';
import {errorCode} from '../../system/error-codes.js';
import {nodeFiles} from '../../system/files.js';
import type {HeapLimits} from '../../system/heap.js';
import {StoreError, type StoreOptions} from '../store.js';
import {
  closeToken,
  moveToken,
  type Section,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from '../transfer.js';
import {makeDirectory} from './directory.js';
import {fileError, modes} from './files.js';
import {openJsonFileStore} from './open.js';
import {readStore, requireRoom} from './read.js';
import {toRecord} from './state/connectors.js';
import type {State} from './state/state.js';
import {closedToken} from './state/tokens.js';
import type {JsonFileStore} from './store.js';

/** Records per batch. */
const batchLength = 1000;

/** The location of a copy until it is complete. */
const unfinished = (directory: string): string => `${directory}.copying`;

/**
 * Opens the store in a directory to copy it elsewhere.
 *
 * @throws StoreError when there is none or another process uses it
 */
export async function openJsonFileSource(
  location: string,
  options: StoreOptions,
  heap: HeapLimits,
): Promise<TransferSource> {
  const store = await openJsonFileStore(location, {...options, create: false}, {heap});
  return new JsonFileSource(store, options.now());
}

/**
 * Creates a store that is renamed to its directory when it is finished.
 *
 * @throws StoreError when the directory holds anything, or an earlier copy was interrupted
 */
export async function openJsonFileTarget(
  location: string,
  serverSecret: Uint8Array,
  options: StoreOptions,
  heap: HeapLimits,
): Promise<TransferTarget> {
  const directory = path.resolve(location);
  await checkEmpty(directory);
  await makeUnfinished(unfinished(directory));
  const store = await openJsonFileStore(unfinished(directory), options, {serverSecret, heap});
  return new JsonFileTarget(store, options.now(), directory, heap);
}

/** Creates the directory of an unfinished copy. Of two copies to one location, only one can. */
async function makeUnfinished(directory: string): Promise<void> {
  try {
    await makeDirectory(nodeFiles, path.dirname(directory));
    await nodeFiles.mkdir(directory, {mode: modes.directory});
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw fileError(`${directory} cannot be created`, error);
    const message = `${directory} is an unfinished copy of a store.`;
    throw new StoreError('unfinished', message, {leftover: {directory}});
  }
}

async function checkEmpty(directory: string): Promise<void> {
  try {
    if ((await nodeFiles.readdir(directory)).length === 0) return;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw fileError(`${directory} cannot be read`, error);
  }
  throw new StoreError('format', `${directory} is not empty; copy to a new directory.`);
}

class JsonFileSource implements TransferSource {
  readonly serverSecret: Uint8Array;
  readonly #store: JsonFileStore;
  readonly #now: number;

  constructor(store: JsonFileStore, now: number) {
    this.serverSecret = store.serverSecret;
    this.#store = store;
    this.#now = now;
  }

  read(section: Section): AsyncIterable<readonly TransferRecord[]> {
    return batches(recordsOf(this.#store.components.state, section, this.#now));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

class JsonFileTarget implements TransferTarget {
  readonly #store: JsonFileStore;
  readonly #now: number;
  readonly #directory: string;
  readonly #heap: HeapLimits;
  /** What the files hold, once it was read back. */
  #committed: State | undefined;

  constructor(store: JsonFileStore, now: number, directory: string, heap: HeapLimits) {
    this.#store = store;
    this.#now = now;
    this.#directory = directory;
    this.#heap = heap;
  }

  async write(records: readonly TransferRecord[]): Promise<void> {
    const {state, writer} = this.#store.components;
    await writer.write((tx) => {
      for (const record of records) tx.write(toChanges(record));
    });
    requireRoom(this.#directory, state.usage.bytes, 1, this.#heap);
  }

  commit(): Promise<void> {
    return this.#store.compact();
  }

  async *read(section: Section): AsyncGenerator<readonly TransferRecord[]> {
    this.#committed ??= await readBack(unfinished(this.#directory), this.#heap);
    yield* batches(recordsOf(this.#committed, section, this.#now));
  }

  async finish(): Promise<void> {
    await this.close();
    const from = unfinished(this.#directory);
    try {
      // Replaces an empty directory, but nothing else.
      await nodeFiles.rename(from, this.#directory);
      await syncDirectory(nodeFiles, path.dirname(this.#directory));
    } catch (error) {
      throw fileError(`${from} cannot be renamed`, error);
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

async function readBack(directory: string, heap: HeapLimits): Promise<State> {
  try {
    const loaded = await readStore({files: nodeFiles, directory, heap});
    if (loaded !== undefined) return loaded.state;
  } catch (error) {
    throw error instanceof StoreError ? error : fileError(`${directory} cannot be read`, error);
  }
  throw new StoreError('unavailable', `${directory} was removed.`);
}

function* recordsOf(state: State, section: Section, now: number): Generator<TransferRecord> {
  switch (section) {
    case 'apiKeys':
      for (const key of state.apiKeys()) yield {type: 'apiKey', ...key};
      break;
    case 'tokens': {
      const isThere = (id: string) => state.connectors.entry(id) !== undefined;
      for (const token of state.tokens.opened(now, isThere)) yield* moveToken(token, now);
      for (const [hash, expiryDay] of state.tokens.closed(now)) {
        yield closeToken({hash, outcome: 'used', expiresAt: expiryDay * day}, now);
      }
      break;
    }
    case 'connectors':
      for (const entry of state.connectors.entries()) yield {type: 'connector', ...toRecord(entry)};
      break;
  }
}

async function* batches<T>(items: Iterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The change that writes a record. A closed token has just enough to be used; the compaction of the copy closes it. */
function toChanges(record: TransferRecord): Changes {
  switch (record.type) {
    case 'apiKey': {
      const {type: _, ...key} = record;
      return {apiKeys: [key]};
    }
    case 'token': {
      const {type: _, ...token} = record;
      return {tokens: [token]};
    }
    case 'closedToken':
      return {tokens: [closedToken(record.hash, record.expiresAt)]};
    case 'connector': {
      const {type: _, ...connector} = record;
      return {connectors: [connector]};
    }
  }
}
