import {Flags} from '@oclif/core';
import {claimedKind} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {checkToken, readTokenFile} from '../activation/input.js';

/** The flag for the file of a token. */
export const tokenFileFlag = Flags.string({
  description: 'file that holds an activation token, to check without sending it; - is stdin',
  exclusive: ['credentials-file'],
  helpValue: 'PATH',
});

/**
 * Examines the activation token in a file. Sends nothing.
 *
 * @returns the result as a phrase, without the token
 * @throws AppError `usage` for an unreadable file, a mistyped token, and another secret of ours
 */
export async function examineToken(path: string): Promise<string> {
  const token = await readTokenFile(path);
  checkToken(token);
  switch (claimedKind(token)) {
    case 'activationToken':
      return `an activation token of ${token.length} characters, its checksum is correct`;
    case undefined:
      return `${token.length} characters, not in the form of the reference service: only the service can verify it`;
    default:
      throw new AppError('usage', 'It begins like an API key, not like an activation token.', {
        hint: 'Create a token with: connectorctl token create',
      });
  }
}
