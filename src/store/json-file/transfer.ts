import path from 'node:path';
import type {Changes} from '../../domain/changes.js';
import {day} from '../../domain/time.js';
import {syncDirectory} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError} from '../store.js';
import {
  closedToken,
  moveToken,
  type Section,
  type Transfer,
  type TransferRecord,
  type TransferTarget,
} from '../transfer.js';
import {makeDirectory} from './directory.js';
import {fileError, modes} from './files.js';
import {openJsonFileStore} from './open.js';
import {readStore} from './read.js';
import {toRecord} from './state/connectors.js';
import type {State} from './state/state.js';
import type {JsonFileStore} from './store.js';

/** Records per batch. */
const batchLength = 1000;

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (location, options) => {
  const store = await openJsonFileStore(location, {...options, create: false});
  return {
    serverSecret: store.serverSecret,
    read: (section) => batches(recordsOf(store.components.state, section, options.now())),
    close: () => store.close(),
  };
};

/** See `Transfer`. The store is made beside its directory, which it replaces when it is filled. */
export const createCopy: Transfer['createCopy'] = async (location, serverSecret, options, fill) => {
  const directory = path.resolve(location);
  const unfinished = `${directory}.copying`;
  await checkEmpty(directory);
  await makeUnfinished(unfinished);
  const store = await openJsonFileStore(unfinished, options, {serverSecret});
  const result = await fill(new JsonFileTarget(store, options.now(), unfinished)).finally(() =>
    store.close(),
  );
  try {
    // Replaces an empty directory, but nothing else.
    await nodeFiles.rename(unfinished, directory);
    await syncDirectory(nodeFiles, path.dirname(directory));
  } catch (error) {
    throw fileError(`${unfinished} cannot be renamed`, error);
  }
  return result;
};

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

class JsonFileTarget implements TransferTarget {
  readonly #store: JsonFileStore;
  readonly #now: number;
  readonly #directory: string;
  /** What the files hold, once it was read back. */
  #written: State | undefined;

  constructor(store: JsonFileStore, now: number, directory: string) {
    this.#store = store;
    this.#now = now;
    this.#directory = directory;
  }

  async write(changes: Changes): Promise<void> {
    await this.#store.components.writer.write((tx) => tx.write(changes));
  }

  settle(): Promise<void> {
    return this.#store.compact();
  }

  async *read(section: Section): AsyncGenerator<readonly TransferRecord[]> {
    this.#written ??= await readBack(this.#directory);
    yield* batches(recordsOf(this.#written, section, this.#now));
  }
}

async function readBack(directory: string): Promise<State> {
  try {
    const loaded = await readStore({files: nodeFiles, directory});
    if (loaded !== undefined) return loaded.state;
  } catch (error) {
    throw error instanceof StoreError ? error : fileError(`${directory} cannot be read`, error);
  }
  throw new StoreError('unavailable', `${directory} was removed.`);
}

function* recordsOf(state: State, section: Section, now: number): Generator<TransferRecord> {
  switch (section) {
    case 'apiKeys':
      yield* state.apiKeys();
      break;
    case 'connectors':
      for (const entry of state.connectors.entries()) yield toRecord(entry);
      break;
    case 'tokens': {
      const isThere = (id: string) => state.connectors.entry(id) !== undefined;
      for (const token of state.tokens.opened(now, isThere)) yield* moveToken(token, isThere, now);
      for (const [hash, expiryDay] of state.tokens.closed(now)) {
        yield* moveToken(closedToken(hash, expiryDay * day), isThere, now);
      }
    }
  }
}

async function* batches(
  records: Iterable<TransferRecord>,
): AsyncGenerator<readonly TransferRecord[]> {
  let batch: TransferRecord[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
