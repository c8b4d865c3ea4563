import type {CopyProgress, CopyResult} from '../store/copy.js';
import type {Leftover, StoreErrorKind} from '../store/store.js';
import {shellWord} from '../terminal/notices.js';
import {createStatusLine} from '../terminal/status-line.js';
import {isQuiet} from '../terminal/streams.js';
import {logTerminal} from './log-terminal.js';

/** The result of a copy, and both locations without their credentials. */
export interface Copied {
  readonly from: string;
  readonly to: string;
  readonly result: CopyResult;
}

/** Copies a store, and shows the progress on a terminal. */
export async function copyStore(from: string, to: string): Promise<Copied> {
  const [copying, {describeStore}, {createLogger}, {explainStoreError}] = await Promise.all([
    import('../store/copy.js'),
    import('../store/open.js'),
    import('../server/observability/logger.js'),
    import('../server/admin/store-errors.js'),
  ]);
  let progress: CopyProgress | undefined;
  const end = createStatusLine()?.begin(() =>
    progress ? describeProgress(progress, copying.sectionNames) : 'Opening the stores …',
  );
  try {
    const result = await copying.copyStore(from, to, {
      log: createLogger(isQuiet() ? 'error' : 'warn', logTerminal()),
      now: Date.now,
      onProgress: (made) => {
        progress = made;
      },
    });
    return {from: await describeStore(from), to: await describeStore(to), result};
  } catch (error) {
    throw explainStoreError(error, ({kind, leftover}) =>
      leftover === undefined ? hints[kind] : removalHint(leftover),
    );
  } finally {
    end?.();
  }
}

const hints: Readonly<Record<StoreErrorKind, string | undefined>> = {
  full: 'Free some space, remove the unfinished copy, and copy again.',
  unavailable: 'Check both stores, remove the unfinished copy, if any, and copy again.',
  exposed: 'Give the directory to one user, mode 0700, then copy again.',
  missing: 'FROM must be a store that connectorctl serve created.',
  damaged: 'Restore the store from a backup, then copy again.',
  // The hint for every command.
  'too-large': undefined,
  locked:
    'Stop every process that uses either store, remove the unfinished copy, if any, and copy again.',
  format:
    'TO must be a new directory or an empty database, FROM a store that this version can read.',
  unfinished: 'Remove the unfinished copy, then copy again.',
  forbidden: 'This user may not read or write there: run as the owner, or name another location.',
  misconfigured: 'Check the URL, and the user, password and privileges in the database.',
  closed: 'Copy again.',
};

function removalHint(leftover: Leftover): string {
  return `Remove it, then copy again: rm -r ${shellWord(leftover.directory)}`;
}

function describeProgress(
  {doing, section, records}: CopyProgress,
  sectionNames: Readonly<Record<CopyProgress['section'], string>>,
): string {
  const verb = doing === 'copying' ? 'Copying' : 'Comparing';
  return `${verb} ${sectionNames[section]}: ${records.toLocaleString('en')}`;
}
