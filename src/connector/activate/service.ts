import {isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import type {ServiceSettings} from '../../service/settings.js';
import type {Credentials} from '../credentials/credentials.js';
import {CredentialsFiles} from '../credentials/files.js';
import type {Plan} from './plan.js';

/** The service that a plan belongs to, and the path that says so; undefined where there are no credentials yet. */
function ownerOf(plan: Plan, {path, pending}: CredentialsFiles) {
  switch (plan.do) {
    case 'activate':
      return plan.replaces && {base_url: plan.replaces.base_url, path};
    case 'resume':
      return {base_url: plan.unfinished.base_url, path: pending};
    default:
      return {base_url: plan.credentials.base_url, path};
  }
}

/**
 * The service of an activation: that of the settings, which must be that of the file. A profile or a variable says
 * nothing about a complete file, and nothing needs to say again where an unfinished activation belongs. Only credentials
 * that are replaced may be of another service than a setting names.
 *
 * @throws AppError `usage` when the file belongs to another service
 */
export function serviceOf(plan: Plan, settings: ServiceSettings, path: string): ServiceSettings {
  const owner = ownerOf(plan, new CredentialsFiles(path));
  const {baseUrl} = settings;
  if (owner === undefined || isSameService(owner.base_url, baseUrl.value)) return settings;
  if (plan.do === 'activate' && baseUrl.origin !== 'default') return settings;
  const isComplete = plan.do !== 'resume';
  if (isComplete ? baseUrl.origin === 'flag' : baseUrl.origin !== 'default') {
    requireSameService(owner, baseUrl.value, owner.path);
  }
  // A key for another service stays here.
  const apiKey = {value: undefined, origin: 'file'} as const;
  return {...settings, baseUrl: {value: owner.base_url, origin: 'file'}, apiKey};
}

/** A token goes only to the service that it is for. @throws AppError `usage` */
export function requireSameService(
  {base_url: own}: Pick<Credentials, 'base_url'>,
  baseUrl: string,
  path: string,
): void {
  if (isSameService(own, baseUrl)) return;
  const message = `${path} belongs to the service ${own}, not to ${baseUrl}; nothing was sent.`;
  throw new AppError('usage', message, {
    hint: `Use --base-url ${own}, or another file for the other service.`,
  });
}
