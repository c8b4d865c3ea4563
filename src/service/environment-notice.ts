import {apiKeyVariable, serviceFlags} from './settings.js';

/** A note about variables that override a profile. */
export function environmentNotice(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const {'base-url': baseUrl, 'api-key-file': keyFile, profile} = serviceFlags;
  const set = [baseUrl.env, apiKeyVariable, keyFile.env, profile.env].filter(
    (variable = '') => env[variable] && !(variable === profile.env && env[variable] === name),
  );
  if (set.length === 0) return undefined;
  return `Note: the environment overrides the profile: unset ${set.join(', ')} to use it.`;
}
