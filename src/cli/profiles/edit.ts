import {resolve} from 'node:path';
import {checkAuthHeader, checkedUrl, isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import {refuseSecretAsPath} from '../errors/misplaced-secret.js';
import type {ServiceFlagValues} from '../flags.js';
import type {Profile} from './store.js';

/** The flags of `profile set`. */
type ProfileFlags = Pick<ServiceFlagValues, 'api-key-file' | 'auth-header' | 'base-url'>;

/**
 * A profile after a change.
 *
 * @throws AppError `usage` for an invalid change, or one that would send a key to another service
 */
export function changedProfile(
  name: string,
  before: Profile | undefined,
  flags: ProfileFlags,
): Profile {
  const {'base-url': url, 'api-key-file': keyFile, 'auth-header': authHeader} = flags;
  if (url === undefined && keyFile === undefined && authHeader === undefined) {
    throw new AppError('usage', 'Nothing to change.', {
      hint: 'Pass --base-url, --api-key-file or --auth-header.',
    });
  }
  if (keyFile !== undefined) refuseSecretAsPath(keyFile, '--api-key-file');
  if (keyFile === '-') {
    throw new AppError('usage', 'A profile cannot read its API key from stdin.', {
      hint: `Save the key with: connectorctl login --profile ${name} --api-key-file -`,
    });
  }
  const baseUrl = url === undefined ? before?.base_url : checkedUrl(url);
  if (baseUrl === undefined) {
    throw new AppError('usage', `Profile ${name} is new and needs a base URL.`, {
      hint: 'Set it with --base-url URL.',
    });
  }
  if (before?.api_key_file && !isSameService(before.base_url, baseUrl) && keyFile === undefined) {
    throw new AppError('usage', `The API key of profile ${name} is only for ${before.base_url}.`, {
      hint: `Pass the key of the new service with --api-key-file, or with: connectorctl login --profile ${name} --base-url ${baseUrl}`,
    });
  }
  return {
    ...before,
    base_url: baseUrl,
    ...(keyFile !== undefined && {api_key_file: resolve(keyFile)}),
    ...(authHeader !== undefined && {auth_header: checkAuthHeader(authHeader)}),
  };
}
