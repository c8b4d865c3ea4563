import {existsSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {AppError} from '../../errors.js';

/** Where lists of machines kept their tokens and credentials up to commit 53da81a. */
const journalName = '.connectorctl.journal';

/** The last commit that reads a journal. */
const lastReader = '53da81a';

/** What to do about a journal of an earlier version beside a file; undefined without one. */
export const oldJournalHintFor = (file: string) => oldJournalHint(dirname(file));

function oldJournalHint(directory: string): string | undefined {
  if (!existsSync(join(directory, journalName))) return undefined;
  return `${join(directory, journalName)} holds credentials of a list that an earlier version has not finished. Finish it with connectorctl of commit ${lastReader}: connector activate --from LIST --credentials-dir ${directory}`;
}

/** Refuses a directory whose journal may hold the only copy of a credential. @throws AppError `usage` */
export function refuseOldJournal(directory: string): void {
  const hint = oldJournalHint(directory);
  if (hint === undefined) return;
  throw new AppError(
    'usage',
    `${directory} has a journal of an earlier version; nothing was sent.`,
    {
      hint,
    },
  );
}
