import {apiKeyVariable, serviceFlags} from './settings.js';

/** Variables that override every profile. */
const overriding = [serviceFlags['base-url'].env, apiKeyVariable, serviceFlags['api-key-file'].env];

/** A note about variables that override a profile. */
export function environmentNotice(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const profile = serviceFlags.profile.env;
  const others = profile !== undefined && env[profile] !== name ? [profile] : [];
  const set = [...overriding, ...others].filter(
    (variable) => variable !== undefined && env[variable],
  );
  if (set.length === 0) return undefined;
  const [are, override, them] =
    set.length === 1 ? ['is', 'overrides', 'it'] : ['are', 'override', 'them'];
  return `Note: ${set.join(', ')} ${are} set in the environment and ${override} the profile. To use the profile, unset ${them}.`;
}
