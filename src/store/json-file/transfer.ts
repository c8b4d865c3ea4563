import path from 'node:path';
import {syncDirectory} from '../../system/durable-file.js';
import {nodeFiles} from '../../system/files.js';
import {errorCode} from '../../system/system-error.js';
import {StoreError} from '../store.js';
import {mayMatter, type Section, type Transfer, type TransferRecord} from '../transfer.js';
import {toRecord, toStored} from './connectors.js';
import {makeDirectory} from './directory.js';
import {fileError, inDirectory, modes, names} from './files.js';
import {LogFile} from './log.js';
import {openJsonFileStore} from './open.js';
import {encodeHeader, readStore} from './read.js';
import {membersOf, type State} from './state.js';

/** Records per batch. */
const batchLength = 1000;

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (location, options) => {
  const store = await openJsonFileStore(location, {...options, create: false});
  return {
    serverSecret: store.serverSecret,
    read: (section) => batches(store.components.state, section, options.now()),
    close: () => store.close(),
  };
};

/** See `Transfer`. The store is made beside its directory, which it replaces when it is filled. */
export const createCopy: Transfer['createCopy'] = async (location, secret, {now}, fill) => {
  const directory = path.resolve(location);
  const context = {files: nodeFiles, directory: `${directory}.copying`};
  try {
    await checkEmpty(directory);
    await makeDirectory(nodeFiles, path.dirname(directory));
    await makeUnfinished(context.directory);
    const serverSecret = Buffer.from(secret).toString('base64url');
    const file = await LogFile.create(nodeFiles, inDirectory(context.directory, names.store));
    const readBack = async () => {
      await file.append(['"compact":true']);
      await file.sync();
      return (await readStore(context)).state;
    };
    let written: State | undefined;
    const filled = async () => {
      await file.append([encodeHeader({createdAt: now(), serverSecret})]);
      return fill({
        write: ({connectors, ...others}) =>
          file.append([
            membersOf({...others, ...(connectors && {connectors: connectors.map(toStored)})}),
          ]),
        async *read(section) {
          written ??= await readBack();
          yield* batches(written, section, now());
        },
      });
    };
    const result = await filled().finally(() => file.close());
    await syncDirectory(nodeFiles, context.directory);
    // Replaces an empty directory, but nothing else.
    await nodeFiles.rename(context.directory, directory);
    await syncDirectory(nodeFiles, path.dirname(directory));
    return result;
  } catch (error) {
    throw errorCode(error) === undefined
      ? error
      : fileError(`${directory} cannot be created`, error);
  }
};

async function checkEmpty(directory: string): Promise<void> {
  const found = await nodeFiles.readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  if (found.length === 0) return;
  throw new StoreError('format', `${directory} is not empty; copy to a new directory.`);
}

/** Creates the directory of an unfinished copy. Of two copies to one location, only one can. */
async function makeUnfinished(directory: string): Promise<void> {
  await nodeFiles.mkdir(directory, {mode: modes.directory}).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
    const message = `${directory} is an unfinished copy of a store.`;
    throw new StoreError('unfinished', message, {leftover: directory});
  });
}

function* recordsOf(state: State, section: Section, now: number): Generator<TransferRecord> {
  const isThere = (id: string) => state.connectors.has(id);
  if (section === 'apiKeys') yield* state.apiKeys.values();
  if (section === 'connectors')
    for (const connector of state.connectors.values()) yield toRecord(connector);
  if (section === 'tokens')
    for (const token of state.tokens.opened(now, isThere))
      if (mayMatter(token, isThere, now)) yield token;
}

async function* batches(
  ...[state, section, now]: Parameters<typeof recordsOf>
): AsyncGenerator<readonly TransferRecord[]> {
  let batch: TransferRecord[] = [];
  for (const record of recordsOf(state, section, now)) {
    batch.push(record);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
