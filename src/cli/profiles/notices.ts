import {apiKeyVariable, serviceFlags} from '../flags.js';

/** Variables that beat every profile, wherever they were set and forgotten. */
const beating = [serviceFlags['base-url'].env, apiKeyVariable, serviceFlags['api-key-file'].env];

/** Names the variables because of which a profile is not what commands work with. */
export function environmentNotice(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  const profile = serviceFlags.profile.env;
  const others = profile !== undefined && env[profile] !== name ? [profile] : [];
  const set = [...beating, ...others].filter((variable) => variable !== undefined && env[variable]);
  if (set.length === 0) return [];
  const [are, beat, they] =
    set.length === 1 ? ['is', 'beats', 'it is'] : ['are', 'beat', 'they are'];
  return [
    `Note: ${set.join(', ')} ${are} set in the environment and ${beat} the profile until ${they} unset.`,
  ];
}
