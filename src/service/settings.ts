import {existsSync} from 'node:fs';
import {Flags, type Interfaces} from '@oclif/core';
import {clientDefaults, isSameService} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {defaultEndpoint} from '../contract/limits.js';
import {cleanSecret} from '../domain/clean-secret.js';
import {refuseSecretAsPath} from '../domain/misplaced-secret.js';
import {AppError} from '../errors.js';
import {durationFlag, integerFlag, letters, type VariableWithoutFlag} from '../flags.js';
import {escapeControl} from '../terminal/escape.js';
import type {SettingView} from '../terminal/fields.js';
import {writeMessage} from '../terminal/streams.js';
import {existingProfile, type Profile, type ProfileStore} from './profiles/store.js';
import {readSecretFile, warnOfReaders} from './secret-input.js';

/** The variable that holds the API key itself; no flag does. */
export const apiKeyVariable: VariableWithoutFlag = 'CONNECTORCTL_API_KEY';

/** The default service: where `serve` listens by default. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

/** Flags for the address of the service and the connection to it. */
export const serviceFlags = {
  'base-url': Flags.string({
    char: letters['base-url'],
    description: 'base URL of the service: http:// or https://',
    env: 'CONNECTORCTL_BASE_URL',
    helpGroup: 'SERVICE',
    helpValue: 'URL',
  }),
  'api-key-file': Flags.string({
    description: 'file that holds the API key; - is stdin',
    env: 'CONNECTORCTL_API_KEY_FILE',
    helpGroup: 'SERVICE',
    helpValue: 'PATH',
  }),
  'auth-header': Flags.string({
    description: 'header for the API key; only Authorization adds "Bearer"',
    env: 'CONNECTORCTL_AUTH_HEADER',
    helpGroup: 'SERVICE',
    helpValue: 'NAME',
  }),
  profile: Flags.string({
    char: letters.profile,
    description: 'profile to use; see profile list',
    env: 'CONNECTORCTL_PROFILE',
    helpGroup: 'SERVICE',
    helpValue: 'NAME',
  }),
  timeout: durationFlag({
    description: 'time limit of one attempt',
    env: 'CONNECTORCTL_TIMEOUT',
    helpGroup: 'SERVICE',
  }),
  retries: integerFlag({
    description: 'number of retries of a failed request, when that is safe',
    env: 'CONNECTORCTL_RETRIES',
    helpGroup: 'SERVICE',
    max: 100,
    min: 0,
  }),
  debug: Flags.boolean({
    description: 'report settings, requests and responses on stderr, secrets redacted',
    env: 'CONNECTORCTL_DEBUG',
    helpGroup: 'SERVICE',
  }),
};

/** The settings by their flags: the title in the output, the member of a profile, and the default. */
const settings = {
  'base-url': {title: 'base URL', member: 'base_url', initial: defaultBaseUrl},
  'api-key-file': {title: 'API key', member: 'api_key'},
  'auth-header': {title: 'key header', member: 'auth_header', initial: clientDefaults.authHeader},
  profile: {title: 'profile'},
  timeout: {title: 'time limit', initial: clientDefaults.timeout},
  retries: {title: 'retries', initial: clientDefaults.retries},
} as const;

/** The values of `serviceFlags`, each from its flag or its environment variable. */
export type ServiceFlagValues = Partial<Interfaces.InferredFlags<typeof serviceFlags>>;

/** The settings whose value a flag, its variable, the profile or the default gives. */
type Valued = 'base-url' | 'auth-header' | 'timeout' | 'retries';
type Value<Flag extends Valued> = (typeof settings)[Flag]['initial'];

/** Whether the command line itself names a flag, rather than the environment. */
type IsGiven = (flag: keyof ServiceFlagValues) => boolean;

/** The source of a value, in order of precedence, or the reason for its absence. */
type Origin =
  | 'flag'
  | 'file'
  | 'environment'
  | 'profile'
  | 'default'
  /** Of a profile: `profile use` or `login` chose it. */
  | 'current'
  /** Of the API key: the profile has one, but for another service. */
  | 'withheld'
  | 'unset';

/** A setting and its source. */
interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** The API key and its source: its text, or the file that holds it (`-` is stdin), or neither. */
interface ApiKey {
  readonly text?: string | undefined;
  readonly file?: string | undefined;
  readonly origin: Origin;
}

/** The settings of a command. */
export type ServiceSettings = ReturnType<typeof resolveService>;

/** The service that a credentials file names. */
export interface CredentialsFileService {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** The profile for the settings, if any, and the source of its name. */
interface ChosenProfile {
  readonly name: Setting<string | undefined>;
  readonly profile: Profile | undefined;
}

const noProfile: ChosenProfile = {name: {value: undefined, origin: 'unset'}, profile: undefined};

/**
 * Resolves each setting: from its flag, the credentials file, the environment, the profile or the default.
 *
 * @param chosen see `chooseProfile`
 * @param known the service of a credentials file
 * @throws AppError `usage` when a flag names another service than that of the credentials file, but no key for it
 */
export function resolveService(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  chosen: ChosenProfile,
  known?: CredentialsFileService,
) {
  const pick = <Flag extends Valued>(flag: Flag, profile?: Profile): Setting<Value<Flag>> => {
    const setting: {initial: string | number; member?: keyof Profile} = settings[flag];
    const saved = setting.member && profile?.[setting.member];
    const {value, origin}: Setting<unknown> =
      flags[flag] !== undefined
        ? {value: flags[flag], origin: isGiven(flag) ? 'flag' : 'environment'}
        : {value: saved ?? setting.initial, origin: saved === undefined ? 'default' : 'profile'};
    return {value: value as Value<Flag>, origin};
  };
  const baseUrl: Setting<string> =
    known !== undefined && !isGiven('base-url')
      ? {value: known.baseUrl, origin: 'file'}
      : pick('base-url', chosen.profile);
  if (known !== undefined && !isGiven('api-key-file')) requireOwnService(known, baseUrl.value);
  // No other service may receive the key and header of a profile's service.
  const profile =
    chosen.profile && isSameService(chosen.profile.base_url, baseUrl.value)
      ? chosen.profile
      : undefined;
  const saved = chosen.profile?.api_key;
  const savedKey: ApiKey = profile ? {text: saved, origin: 'profile'} : {origin: 'withheld'};
  const apiKey = givenKey(flags, isGiven, known) ?? (saved ? savedKey : {origin: 'unset'});
  return {
    profile: chosen.name,
    baseUrl,
    apiKey,
    authHeader: pick('auth-header', profile),
    timeout: pick('timeout'),
    retries: pick('retries'),
  };
}

/** @throws AppError `usage` for another base URL than that of the credentials file, whose key goes nowhere else */
function requireOwnService({baseUrl: own}: CredentialsFileService, baseUrl: string): void {
  if (isSameService(own, baseUrl)) return;
  const message = `The credentials file belongs to the service ${own}, not to ${baseUrl}; nothing was sent.`;
  throw new AppError('usage', message, {
    hint: `Use --base-url ${own}, or pass the key for the other service with --api-key-file.`,
  });
}

/** The API key of a flag, a credentials file or the environment; undefined where the profile decides. */
function givenKey(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  known: CredentialsFileService | undefined,
): ApiKey | undefined {
  const file = flags['api-key-file'];
  if (file !== undefined) refuseSecretAsPath(file, '--api-key-file');
  if (file !== undefined && isGiven('api-key-file')) return {file, origin: 'flag'};
  if (known !== undefined) {
    return known.apiKey === undefined ? {origin: 'unset'} : {text: known.apiKey, origin: 'file'};
  }
  const text = cleanSecret(process.env[apiKeyVariable] ?? '');
  if (text !== '') return {text, origin: 'environment'};
  return file === undefined ? undefined : {file, origin: 'environment'};
}

/** The options of a client for these settings; reads the API key. */
export async function clientOptions({apiKey: {text, file}, ...settings}: ServiceSettings) {
  return {
    baseUrl: settings.baseUrl.value,
    apiKey: file === undefined ? text : await readSecretFile(file, apiKeyFile),
    authHeader: settings.authHeader.value,
    timeout: settings.timeout.value,
    retries: settings.retries.value,
  } satisfies ClientOptions;
}

/** The names of the key and of its flag in messages. */
export const apiKeyFile = {what: 'API key', flag: '--api-key-file'} as const;

/** Whether flags and environment lack the base URL or the key. */
export function isProfileNeeded(flags: ServiceFlagValues): boolean {
  const isKeyGiven = flags['api-key-file'] !== undefined || process.env[apiKeyVariable];
  return flags['base-url'] === undefined || !isKeyGiven;
}

/**
 * The named profile, or else the one in use. Reads the settings file only when needed; with a base URL, it may be
 * unreadable.
 *
 * @throws AppError `usage` as `ProfileStore` does
 */
export async function chooseProfile(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  store: Pick<ProfileStore, 'path' | 'read'>,
  known?: CredentialsFileService,
): Promise<ChosenProfile> {
  const isNamed = flags.profile !== undefined;
  if (!isNamed && (known !== undefined || !isProfileNeeded(flags))) return noProfile;
  const saved = await store.read().catch((error: unknown) => {
    if (isNamed || flags['base-url'] === undefined || !(error instanceof AppError)) throw error;
    writeMessage(`Warning: ${escapeControl(error.message)} Continuing without profiles.`);
    return undefined;
  });
  const value = flags.profile ?? saved?.current ?? undefined;
  if (saved === undefined || value === undefined) return noProfile;
  const profile = existingProfile(saved, value);
  if (profile.api_key !== undefined) warnOfReaders(store.path, 'the API keys');
  const origin = isGiven('profile') ? 'flag' : 'environment';
  return {name: {value, origin: isNamed ? origin : 'current'}, profile};
}

/** The settings as commands show them; of the API key only the location. */
export function shownSettings(
  {profile, baseUrl, apiKey, authHeader, timeout, retries}: ServiceSettings,
  {path}: Pick<ProfileStore, 'path'>,
) {
  const row = (
    flag: keyof typeof settings,
    value: string,
    origin: Origin,
    unset = 'not set',
  ): SettingView => {
    const {env = ''} = serviceFlags[flag];
    const from = {
      flag: `--${flag}`,
      environment: flag === 'api-key-file' && apiKey.file === undefined ? apiKeyVariable : env,
      file: 'credentials file',
      profile: `profile ${profile.value}`,
      default: 'default',
      current: 'in use',
      withheld: `withheld: the key of profile ${profile.value} is for another service`,
      unset,
    } satisfies Record<Origin, string>;
    return {name: settings[flag].title, value, from: from[origin]};
  };
  return {
    file: {
      name: 'settings file',
      value: path,
      from: existsSync(path) ? 'exists' : 'does not exist yet',
    },
    profile: row('profile', profile.value ?? 'none', profile.origin, 'not used'),
    baseUrl: row('base-url', baseUrl.value, baseUrl.origin),
    apiKey: row('api-key-file', locationOf(apiKey), apiKey.origin),
    authHeader: row('auth-header', authHeader.value, authHeader.origin),
    timeout: row('timeout', `${timeout.value / 1000}s`, timeout.origin),
    retries: row('retries', String(retries.value), retries.origin),
  };
}

function locationOf({text, file, origin}: ApiKey): string {
  if (file !== undefined) return file === '-' ? 'in standard input' : `in ${file}`;
  if (text === undefined) return 'none';
  return origin === 'environment' ? 'given' : 'saved';
}
