import {checkAuthHeader, checkedUrl, isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import {savedFlags} from '../settings.js';
import type {Profile} from './store.js';

/**
 * A profile after a change by `profile set`.
 *
 * @param change members to set; undefined leaves one unchanged
 * @throws AppError `usage` for an invalid change, or one that would send a key to another service
 */
export function changedProfile(
  name: string,
  before: Profile | undefined,
  change: {readonly [Member in keyof Profile]?: Profile[Member] | undefined},
): Profile {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    const names = savedFlags.map((flag) => `--${flag}`);
    throw new AppError('usage', 'Nothing to change.', {
      hint: `Pass ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
    });
  }
  const after: Partial<Profile> = {...before, ...Object.fromEntries(given)};
  if (after.base_url === undefined) {
    throw new AppError('usage', `Profile ${name} is new and needs a base URL.`, {
      hint: 'Set it with --base-url URL.',
    });
  }
  const baseUrl = checkedUrl(after.base_url);
  if (after.auth_header !== undefined) checkAuthHeader(after.auth_header);
  const isKept = before?.api_key && change.api_key === undefined;
  if (isKept && !isSameService(before.base_url, baseUrl)) {
    throw new AppError('usage', `The API key of profile ${name} is only for ${before.base_url}.`, {
      hint: `Pass the key of the new service with --api-key-file, or with: connectorctl login --profile ${name} --base-url ${baseUrl}`,
    });
  }
  return {...after, base_url: baseUrl};
}
