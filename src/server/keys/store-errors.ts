import {AppError, type ErrorKind} from '../../errors.js';
import {StoreError} from '../../store/store.js';

const explanations: Readonly<Record<StoreError['kind'], {kind: ErrorKind; hint: string}>> = {
  full: {kind: 'unavailable', hint: 'Make room on the disk; nothing was changed.'},
  unavailable: {kind: 'unavailable', hint: 'Nothing was changed. Try again when it is back.'},
  missing: {
    kind: 'not_found',
    hint: 'Name the store with --store. connectorctl serve makes a new one, and so does key create.',
  },
  damaged: {
    kind: 'unavailable',
    hint: 'Nothing was changed. Restore the store from a backup, or mend the file named above.',
  },
  locked: {kind: 'unavailable', hint: 'Stop that process, or name another store with --store.'},
  format: {
    kind: 'usage',
    hint: 'Name another store with --store, or use the connectorctl that made it.',
  },
  unfinished: {
    kind: 'usage',
    hint: 'Remove the copy and run store copy again, or name another store with --store.',
  },
  forbidden: {
    kind: 'usage',
    hint: 'This user may not read or write there. Run as its owner, or name another with --store.',
  },
  exposed: {
    kind: 'usage',
    hint: 'Nothing was changed. A store must be writable by its owner alone.',
  },
  misconfigured: {
    kind: 'usage',
    hint: 'Mend what --store says, or the database: its name, user, password and privileges.',
  },
  closed: {kind: 'unavailable', hint: 'The service is stopping. Try again when it runs.'},
};

/**
 * A store's failure in words for the person who started the command; any other error unchanged.
 *
 * @param hintFor the hint of a command that does not take its store from `--store`
 */
export function explainStoreFailure(
  error: unknown,
  hintFor: (error: StoreError) => string = ({kind}) => explanations[kind].hint,
): unknown {
  if (!(error instanceof StoreError)) return error;
  const {kind} = explanations[error.kind];
  return new AppError(kind, error.message, {hint: hintFor(error), cause: error});
}
