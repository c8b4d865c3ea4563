import {errorCode, errorMessage} from '../../system/system-error.js';
import {StoreError, type StoreErrorKind} from '../store.js';

/** The names of the files in a store's directory. */
export const names = {
  /** All records. */
  store: 'store.jsonl',
  /** The store while it is rewritten. */
  draft: 'store.jsonl.tmp',
  /** Name of the lock file without `.lock`. */
  lock: 'store',
  /** The control socket of a running service; see `server/control/socket`. */
  control: 'control.sock',
} as const;

const kinds: Readonly<Record<string, StoreErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  ENOTDIR: 'format',
};

/** The StoreError for a failed file call: `unavailable` unless `kinds` has another. Returns a StoreError unchanged. */
export function fileError(failure: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const kind = kinds[errorCode(error) ?? ''] ?? 'unavailable';
  return new StoreError(kind, `${failure}: ${errorMessage(error)}`, {cause: error});
}
