import {StoreError} from '../store.js';
import type {Transfer} from '../transfer.js';
import {toRecord} from './connectors.js';
import {hasStore} from './directory.js';
import {createFile, openJsonFileStore, useDirectory} from './open.js';
import {membersOf} from './state.js';

/** See `Transfer`. */
export const openSource: Transfer['openSource'] = async (location, options) => {
  const store = await openJsonFileStore(location, {...options, create: false});
  return {
    serverSecret: store.serverSecret,
    async read(write) {
      for (const {apiKeys = [], tokens = [], connectors = []} of store
        .opened()
        .state.lines(options.now()))
        await write({apiKeys, tokens, connectors: connectors.map(toRecord)});
    },
    close: () => store.close(),
  };
};

/** See `Transfer`. */
export const createCopy: Transfer['createCopy'] = (location, serverSecret, options, fill) =>
  useDirectory(location, options, {}, async (context, lock) => {
    if (await hasStore(context.files, context.directory)) {
      const message = `${context.directory} holds a store already; copy to a new directory.`;
      throw new StoreError('format', message);
    }
    const result = await createFile(context, options.now(), serverSecret, async (file) => {
      const filled = await fill(({apiKeys = [], tokens = [], connectors = []}) =>
        file.append([membersOf({apiKeys, tokens, connectors})]),
      );
      await file.append([membersOf({compact: true})]);
      await lock.verifyHeld();
      return filled;
    });
    await lock.release();
    return result;
  });
