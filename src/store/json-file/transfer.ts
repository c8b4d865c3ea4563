import path from 'node:path';
import {errorCode} from '../../system/error-codes.js';
import {syncDirectory} from '../../system/sync-directory.js';
import {StoreError, type StoreOptions} from '../store.js';
import {
  closeToken,
  keyOf,
  moveToken,
  type Section,
  type TransferRecord,
  type TransferSource,
  type TransferTarget,
} from '../transfer.js';
import {makeDirectory} from './directory.js';
import {fileError, modes, nodeFiles} from './files.js';
import type {StoreRecord} from './format/records.js';
import {changeOf} from './journal/changes.js';
import {openJsonFileStore} from './open.js';
import {indexAfter} from './state/sorted.js';
import type {JsonFileStore} from './store.js';

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
): Promise<TransferSource> {
  const store = await openJsonFileStore(location, {...options, create: false});
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
): Promise<TransferTarget> {
  const directory = path.resolve(location);
  await checkEmpty(directory);
  await makeUnfinished(unfinished(directory));
  const store = await openJsonFileStore(unfinished(directory), options, {serverSecret});
  return new JsonFileTarget(store, options.now(), directory);
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

type Sorted = Record<Section, TransferRecord[]>;

class JsonFileSource implements TransferSource {
  readonly serverSecret: Uint8Array;
  protected readonly store: JsonFileStore;
  readonly #now: number;
  #sorted: Sorted | undefined;

  constructor(store: JsonFileStore, now: number) {
    this.serverSecret = store.serverSecret;
    this.store = store;
    this.#now = now;
  }

  async read(section: Section, after: string, limit: number): Promise<readonly TransferRecord[]> {
    this.#sorted ??= this.#sort();
    const records = this.#sorted[section];
    const start = indexAfter(records, after, keyOf);
    return records.slice(start, start + limit);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #sort(): Sorted {
    const sorted: Sorted = {apiKeys: [], tokens: [], connectors: []};
    const {state} = this.store.components;
    for (const record of state.snapshot(this.#now)) {
      if (record.type === 'apiKey') sorted.apiKeys.push(record);
      else if (record.type === 'connector') {
        const connector = state.connectors.get(record.id);
        if (connector !== undefined) sorted.connectors.push({type: 'connector', ...connector});
      } else if (record.type === 'closedToken') sorted.tokens.push(closeToken(record, this.#now));
      else if (record.type === 'token') {
        const {type: _, ...token} = record;
        sorted.tokens.push(moveToken(token, this.#now));
      }
    }
    for (const records of Object.values(sorted)) {
      records.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
    }
    return sorted;
  }
}

class JsonFileTarget extends JsonFileSource implements TransferTarget {
  readonly #directory: string;

  constructor(store: JsonFileStore, now: number, directory: string) {
    super(store, now);
    this.#directory = directory;
  }

  async write(records: readonly TransferRecord[]): Promise<void> {
    const {state, journal} = this.store.components;
    await journal.commit(changeOf(state, ...records.flatMap(toStored)));
  }

  async finish(): Promise<void> {
    await this.store.compact();
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
}

function toStored(record: TransferRecord): readonly StoreRecord[] {
  if (record.type === 'connector') {
    const {revokedAt: at, revocationReason: reason, ...connector} = record;
    if (at === null) return [connector];
    return [connector, {type: 'connectorRevocation', id: record.id, at, reason}];
  }
  if (record.type !== 'token') return [{...record}];
  return [{...record, redemption: record.redemption && {...record.redemption}}];
}
