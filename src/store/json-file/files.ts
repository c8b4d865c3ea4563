import {constants} from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import {errorCode, errorMessage} from '../../system/error-codes.js';
import {syncDirectory} from '../../system/sync-directory.js';
import {StoreError, type StoreErrorKind} from '../store.js';

/**
 * Every file call of the store goes through this table, so that a test can make any of them fail.
 */
export type Files = Pick<
  typeof fs,
  | 'chmod'
  | 'copyFile'
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'rename'
  | 'rm'
  | 'stat'
  | 'unlink'
>;

export const nodeFiles: Files = fs;

/** Only for the owner: the store holds names, hashes and a server secret. */
export const modes = {file: 0o600, directory: 0o700} as const;

/** Refuses to open a symbolic link; 0 on Windows, which does not have the flag. */
export const noFollow: number = constants.O_NOFOLLOW ?? 0;

const fullCodes: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

const forbiddenCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

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

/**
 * Replaces a file atomically: after a crash at any moment there is either the old file or the new one.
 */
export async function replaceFile(
  files: Files,
  target: string,
  content: Uint8Array,
): Promise<void> {
  const temporary = `${target}.tmp`;
  await files.rm(temporary, {force: true});
  try {
    // Exclusively, so that a planted link is not followed.
    const handle = await files.open(temporary, 'wx', modes.file);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(temporary, target);
  } catch (error) {
    await files.rm(temporary, {force: true});
    throw error;
  }
  await syncDirectory(files, path.dirname(target));
}
