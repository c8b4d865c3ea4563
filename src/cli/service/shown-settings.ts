import {existsSync} from 'node:fs';
import type {SettingView} from '../../render/fields.js';
import {apiKeyVariable, serviceFlags} from '../flags.js';
import type {ProfileStore} from '../profiles/store.js';
import type {ApiKeySource, ServiceSettings, Setting} from './settings.js';

/** Each setting with its source; of the API key only the location. */
export async function shownSettings(
  settings: ServiceSettings,
  profiles: ProfileStore,
): Promise<readonly SettingView[]> {
  const {profile, baseUrl, apiKey, authHeader, timeout, retries} = settings;
  const from = (flag: keyof typeof serviceFlags, {origin}: Setting<unknown>) =>
    ({
      flag: `--${flag}`,
      environment: serviceFlags[flag].env ?? '',
      profile: `profile ${profile.value}`,
      file: 'credentials file',
      default: 'default',
    })[origin];
  const url = {name: 'base URL', value: baseUrl.value, from: from('base-url', baseUrl)};
  const key = {name: 'API key', value: whereKeyIs(apiKey.value), from: keyFrom(settings, from)};
  return [
    {
      name: 'settings file',
      value: profiles.path,
      from: existsSync(profiles.path) ? 'exists' : 'does not exist yet',
    },
    {
      name: 'profile',
      ...(profile.value === undefined
        ? await unusedProfile(profiles, [url.from, key.from])
        : {
            value: profile.value,
            from: profile.origin === 'profile' ? 'in use' : from('profile', profile),
          }),
    },
    url,
    key,
    {name: 'key header', value: authHeader.value, from: from('auth-header', authHeader)},
    {name: 'time limit', value: `${timeout.value / 1000}s`, from: from('timeout', timeout)},
    {name: 'retries', value: `${retries.value}`, from: from('retries', retries)},
  ];
}

/** The profile in use when the settings need none, and what overrides it. */
async function unusedProfile(
  profiles: ProfileStore,
  sources: readonly string[],
): Promise<Pick<SettingView, 'value' | 'from'>> {
  const saved = await profiles.read().catch(() => undefined);
  if (saved === undefined) return {value: 'unknown', from: 'the settings file cannot be read'};
  if (saved.current === null) return {value: 'none', from: 'none in use'};
  const overriding = [...new Set(sources)].join(' and ');
  return {value: saved.current, from: `in use, but overridden by ${overriding}`};
}

function whereKeyIs(source: ApiKeySource | undefined): string {
  if (source === undefined) return 'none';
  if ('file' in source) return source.file === '-' ? 'in standard input' : `in ${source.file}`;
  return 'text' in source ? 'saved' : 'given';
}

function keyFrom(
  {apiKey, profile, isKeyWithheld}: ServiceSettings,
  from: (flag: 'api-key-file', setting: Setting<unknown>) => string,
): string {
  if (isKeyWithheld) return `withheld: the key of profile ${profile.value} is for another service`;
  const {value} = apiKey;
  if (value !== undefined && 'variable' in value) return apiKeyVariable;
  return value === undefined ? 'not set' : from('api-key-file', apiKey);
}
