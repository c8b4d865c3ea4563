import {join} from 'node:path';
import {AppError} from '../../errors.js';
import {requireTrustedDirectories, UntrustedFileError} from '../../system/trusted-files.js';
import {userDirectory} from '../../system/user-directories.js';

/**
 * The store in the user's data directory, which need not exist.
 *
 * @throws AppError `usage` when other users decide what is in that directory
 */
export function defaultStore(): string {
  const directory = userDirectory('data', process.env);
  try {
    requireTrustedDirectories(directory);
  } catch (error) {
    // Any other error comes again, with its own message, when the store is opened.
    if (error instanceof UntrustedFileError) {
      throw new AppError('usage', `${error.message}.`, {
        hint: 'Name another directory with --store, or give this one to the user of the command.',
      });
    }
  }
  return join(directory.path, 'store');
}
