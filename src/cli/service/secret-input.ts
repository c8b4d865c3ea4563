import {cleanSecret} from '../../domain/clean-secret.js';
import {AppError} from '../../errors.js';
import {readUserText} from '../terminal/user-text.js';

/** Limits for reading a secret: bytes, and milliseconds until it is complete. */
const secretLimits = {bytes: 64 * 1024, wait: 60_000};

/**
 * Reads a secret from a file, or from stdin when the path is `-`; see `cleanSecret`.
 *
 * @param what name of the secret in messages, for instance `API key`
 * @param flag the flag that named the file
 * @throws AppError `usage` when it cannot be read, is empty, or has several lines
 */
export async function readSecretFile(
  path: string,
  what: string,
  flag: string,
  limits = secretLimits,
): Promise<string> {
  const hint = `Pass a readable file with ${flag}, or pipe it in with ${flag} -.`;
  const secret = cleanSecret(await readUserText({path, what: `the ${what}`, hint, limits}));
  if (secret !== '' && !/[\r\n]/.test(secret)) return secret;
  const fault = secret === '' ? 'it is empty' : 'it has several lines';
  const source = path === '-' ? 'standard input' : path;
  throw new AppError('usage', `No ${what} in ${source}: ${fault}.`, {
    hint: `Put only the ${what} there, on one line, or choose another file with ${flag}.`,
  });
}
