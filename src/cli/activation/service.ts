import {isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import type {ServiceSettings} from '../service/settings.js';
import type {Credentials} from './credentials.js';
import {pendingPath} from './place.js';
import type {Plan} from './target.js';

/**
 * The service of an activation: that of the settings, which must be that of the file. A profile or a variable says
 * nothing about a complete file, and nothing needs to say again where an unfinished activation belongs.
 *
 * @throws AppError `usage` when the file belongs to another service
 */
export function serviceOf(
  plan: Plan,
  settings: ServiceSettings,
  path: string | undefined,
): ServiceSettings {
  if (plan.do === 'activate' || path === undefined) return settings;
  const {baseUrl} = settings;
  const isComplete = plan.do !== 'resume';
  const {base_url: own} = plan.do === 'resume' ? plan.reservation : plan.credentials;
  if (isSameService(own, baseUrl.value)) return settings;
  if (isComplete ? baseUrl.origin === 'flag' : baseUrl.origin !== 'default') {
    requireSameService({base_url: own}, baseUrl.value, isComplete ? path : pendingPath(path));
  }
  // A key for another service stays here.
  const apiKey = {value: undefined, origin: 'file'} as const;
  return {...settings, baseUrl: {value: own, origin: 'file'}, apiKey};
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
