import type {CopyProgress, CopyResult} from '../store/copy.js';
import {statusLineHere} from './status-line.js';
import {talkStream} from './streams.js';

/** What was copied, and between which places, without their logins. */
export interface Copied {
  readonly from: string;
  readonly to: string;
  readonly result: CopyResult;
}

/** Copies a store, and says on a terminal how far it has come. */
export async function copyStore(from: string, to: string): Promise<Copied> {
  const [copying, {describeStore}, {createLogger}, {explainStoreFailure}] = await Promise.all([
    import('../store/copy.js'),
    import('../store/open.js'),
    import('../server/logger.js'),
    import('../server/store-failure.js'),
  ]);
  let progress: CopyProgress | undefined;
  const end = statusLineHere()?.begin(() =>
    progress ? describeProgress(progress) : 'Opening the stores …',
  );
  try {
    const result = await copying.copyStore(from, to, {
      log: createLogger('warn', process.stderr.isTTY === true, talkStream()),
      now: Date.now,
      onProgress: (made) => {
        progress = made;
      },
    });
    return {from: await describeStore(from), to: await describeStore(to), result};
  } catch (error) {
    throw explainStoreFailure(error);
  } finally {
    end?.();
  }
}

const names = {apiKeys: 'API keys', tokens: 'activation tokens', connectors: 'connectors'} as const;

function describeProgress({doing, section, records}: CopyProgress): string {
  const verb = doing === 'copying' ? 'Copying' : 'Comparing';
  return `${verb} ${names[section]}: ${records.toLocaleString('en')}`;
}
