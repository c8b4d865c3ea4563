import type {CopyProgress} from '../store/copy.js';
import {shellWord} from '../terminal/notices.js';
import {createStatusLine} from '../terminal/status-line.js';
import {storeLog} from './admin.js';

/**
 * A verified copy, as `store copy --json` prints it: both locations without their credentials, and of each part the
 * number of records, and the sum of the SHA-256 of each of them modulo 2^256.
 */
export type CopyJson = Awaited<ReturnType<typeof copyStore>>;

/** Copies a store, and shows the progress on a terminal. */
export async function copyStore(from: string, to: string) {
  const [copying, {describeStore}, log, {explainStoreError}] = await Promise.all([
    import('../store/copy.js'),
    import('../store/open.js'),
    storeLog(),
    import('../server/admin/store-errors.js'),
  ]);
  let progress: CopyProgress | undefined;
  const end = createStatusLine()?.begin(() =>
    progress ? describeProgress(progress, copying.sectionNames) : 'Opening the stores …',
  );
  try {
    const result = await copying.copyStore(from, to, {
      log,
      now: Date.now,
      onProgress: (made) => {
        progress = made;
      },
    });
    const {apiKeys: api_keys, tokens, connectors} = result;
    const names = {from: await describeStore(from), to: await describeStore(to)};
    return {...names, api_keys, tokens, connectors};
  } catch (error) {
    throw explainStoreError(
      error,
      ({leftover}) => leftover && `Remove it, then copy again: rm -r ${shellWord(leftover)}`,
    );
  } finally {
    end?.();
  }
}

function describeProgress(
  {doing, section, records}: CopyProgress,
  sectionNames: Readonly<Record<CopyProgress['section'], string>>,
): string {
  const verb = doing === 'copying' ? 'Copying' : 'Comparing';
  return `${verb} ${sectionNames[section]}: ${records.toLocaleString('en')}`;
}
