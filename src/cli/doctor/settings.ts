import {existsSync} from 'node:fs';
import type {SettingView} from '../../render/doctor.js';
import {apiKeyVariable, serviceFlags} from '../flags.js';
import type {ApiKeySource, ServiceSettings, Setting} from '../service/settings.js';

/** Each setting with its source; of the API key only the location. */
export function shownSettings(
  settings: ServiceSettings,
  settingsFile: string,
): readonly SettingView[] {
  const {profile, baseUrl, apiKey, authHeader, timeout, retries} = settings;
  const from = (flag: keyof typeof serviceFlags, {origin}: Setting<unknown>) =>
    ({
      flag: `--${flag}`,
      environment: serviceFlags[flag].env ?? '',
      profile: `profile ${profile.value}`,
      file: 'credentials file',
      default: 'default',
    })[origin];
  return [
    {
      name: 'settings file',
      value: settingsFile,
      from: existsSync(settingsFile) ? 'exists' : 'does not exist yet',
    },
    {
      name: 'profile',
      value: profile.value ?? 'none',
      from: inUse(profile) ?? from('profile', profile),
    },
    {name: 'base URL', value: baseUrl.value, from: from('base-url', baseUrl)},
    {name: 'API key', value: whereKeyIs(apiKey.value), from: keyFrom(settings, from)},
    {name: 'key header', value: authHeader.value, from: from('auth-header', authHeader)},
    {name: 'time limit', value: `${timeout.value / 1000}s`, from: from('timeout', timeout)},
    {name: 'retries', value: `${retries.value}`, from: from('retries', retries)},
  ];
}

function inUse({origin}: Setting<unknown>): string | undefined {
  if (origin === 'profile') return 'in use';
  return origin === 'default' ? 'none in use' : undefined;
}

function whereKeyIs(source: ApiKeySource | undefined): string {
  if (source === undefined) return 'none';
  if ('file' in source) return source.file === '-' ? 'in standard input' : `in ${source.file}`;
  return 'given';
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
