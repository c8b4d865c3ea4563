import {constants} from 'node:fs';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {StoreError, type StoreErrorKind} from '../store.js';

/** Only for the owner: the store holds names, hashes and a server secret. */
export const modes = {file: 0o600, directory: 0o700} as const;

/** Refuses to open a symbolic link; 0 on Windows, which does not have the flag. */
export const noFollow: number = constants.O_NOFOLLOW ?? 0;

const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

const forbiddenCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);

/** A StoreError for a failed file call, of kind `full`, `forbidden` or `unavailable`. */
export function fileError(failure: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(kindOf(errorCode(error)), `${failure}: ${errorMessage(error)}`, {
    cause: error,
  });
}

function kindOf(code: string | undefined): StoreErrorKind {
  if (fullCodes.has(code)) return 'full';
  return forbiddenCodes.has(code) ? 'forbidden' : 'unavailable';
}
