import {checkAuthHeader, checkedUrl, isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import type {Profile} from './store.js';

/** A change by `profile set`. */
interface ProfileChange {
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly authHeader: string | undefined;
}

/**
 * A profile after a change.
 *
 * @throws AppError `usage` for an invalid change, or one that would send a key to another service
 */
export function changedProfile(
  name: string,
  before: Profile | undefined,
  {baseUrl: url, apiKey, authHeader}: ProfileChange,
): Profile {
  if (url === undefined && apiKey === undefined && authHeader === undefined) {
    throw new AppError('usage', 'Nothing to change.', {
      hint: 'Pass --base-url, --api-key-file or --auth-header.',
    });
  }
  const baseUrl = url === undefined ? before?.base_url : checkedUrl(url);
  if (baseUrl === undefined) {
    throw new AppError('usage', `Profile ${name} is new and needs a base URL.`, {
      hint: 'Set it with --base-url URL.',
    });
  }
  if (before?.api_key && !isSameService(before.base_url, baseUrl) && apiKey === undefined) {
    throw new AppError('usage', `The API key of profile ${name} is only for ${before.base_url}.`, {
      hint: `Pass the key of the new service with --api-key-file, or with: connectorctl login --profile ${name} --base-url ${baseUrl}`,
    });
  }
  return {
    ...before,
    base_url: baseUrl,
    ...(apiKey !== undefined && {api_key: apiKey}),
    ...(authHeader !== undefined && {auth_header: checkAuthHeader(authHeader)}),
  };
}
