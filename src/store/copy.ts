import {isPostgresLocation} from './open.js';
import type {StoreOptions} from './store.js';
import type {Transfer} from './transfer.js';

interface CopyOptions extends StoreOptions {
  /** Called with the number of records copied so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

/**
 * Copies a store to a new location of either kind. The server secret is copied too, so every key and
 * every activation stays valid. Neither store may be in use. The target exists only when it is complete.
 *
 * @returns the numbers of copied records, by kind
 * @throws StoreError when the target is not empty, or a store fails
 */
export async function copyStore(from: string, to: string, options: CopyOptions) {
  const {openSource} = await transferOf(from);
  const {createCopy} = await transferOf(to);
  const source = await openSource(from, options);
  try {
    return await createCopy(to, source.serverSecret, options, async (write) => {
      const copied = {apiKeys: 0, connectors: 0, tokens: 0};
      await source.read(async (changes) => {
        await write(changes);
        copied.apiKeys += changes.apiKeys?.length ?? 0;
        copied.connectors += changes.connectors?.length ?? 0;
        copied.tokens += changes.tokens?.length ?? 0;
        options.onProgress?.(copied.apiKeys + copied.connectors + copied.tokens);
      });
      return copied;
    });
  } finally {
    await source.close();
  }
}

function transferOf(location: string): Promise<Transfer> {
  return isPostgresLocation(location)
    ? import('./postgres/transfer.js')
    : import('./json-file/transfer.js');
}
