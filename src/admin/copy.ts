import {counted} from '../domain/words.js';
import type {Io} from '../terminal/io.js';
import {storeLog} from './admin.js';

/** A copy, as `store copy --json` prints it: both locations without their credentials, and the number of records. */
export type CopyJson = Awaited<ReturnType<typeof copyStore>>;

/** Copies a store, and shows the progress on a terminal. */
export async function copyStore(from: string, to: string, io: Io) {
  const [copying, {describeStore}, log, {explainStoreError}] = await Promise.all([
    import('../store/copy.js'),
    import('../store/open.js'),
    storeLog(io),
    import('../server/admin/store-errors.js'),
  ]);
  let copied = 0;
  const end = io.progress(() =>
    copied === 0 ? 'Opening the stores …' : `Copying: ${counted(copied, 'record')}`,
  );
  try {
    const result = await copying.copyStore(from, to, {
      log,
      now: Date.now,
      onProgress: (records) => {
        copied = records;
      },
    });
    const {apiKeys: api_keys, tokens, connectors} = result;
    const names = {from: await describeStore(from), to: await describeStore(to)};
    return {...names, api_keys, tokens, connectors};
  } catch (error) {
    throw explainStoreError(error);
  } finally {
    end();
  }
}
