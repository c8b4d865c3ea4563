import {existsSync} from 'node:fs';
import {Flags, type Interfaces} from '@oclif/core';
import {isSameService} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {defaultEndpoint} from '../contract/limits.js';
import {cleanSecret} from '../domain/clean-secret.js';
import {refuseSecretAsPath} from '../domain/misplaced-secret.js';
import {claimedKind, secretPrefixes} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {durationFlag, integerFlag, letters, type VariableWithoutFlag} from '../flags.js';
import type {SettingView} from '../terminal/fields.js';
import type {Profile, ProfileStore} from './profiles/store.js';
import {readSecretFile, warnOfReaders} from './secret-input.js';

/** The variable that holds the API key itself; no flag does. */
export const apiKeyVariable: VariableWithoutFlag = 'CONNECTORCTL_API_KEY';

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
    description: 'how often to retry a failed request when that is safe',
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

/** The values of `serviceFlags`, each from its flag or its environment variable. */
export type ServiceFlagValues = Partial<Interfaces.InferredFlags<typeof serviceFlags>>;

/** The default service: where `serve` listens by default. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

/** A setting: its flag, its member of a profile, its default, and how commands show it. */
interface Definition {
  readonly flag: Exclude<keyof ServiceFlagValues, 'debug'>;
  readonly title: string;
  readonly member?: keyof Profile;
  readonly initial: number | string;
  readonly show?: (value: number | string) => string;
}

/** The settings that have one value; the API key and the profile have rules of their own below. */
const definitions = {
  baseUrl: {flag: 'base-url', title: 'base URL', member: 'base_url', initial: defaultBaseUrl},
  authHeader: {
    flag: 'auth-header',
    title: 'key header',
    member: 'auth_header',
    initial: 'Authorization',
  },
  timeout: {
    flag: 'timeout',
    title: 'time limit',
    initial: 10_000,
    show: (milliseconds) => `${Number(milliseconds) / 1000}s`,
  },
  retries: {flag: 'retries', title: 'retries', initial: 2},
} satisfies Record<string, Definition>;

type Values = {
  readonly [Name in keyof typeof definitions]: (typeof definitions)[Name]['initial'];
};

/** Whether the command line itself names a flag, rather than the environment. */
type IsGiven = (flag: keyof ServiceFlagValues) => boolean;

/** The source of a setting, in order of precedence. */
type Origin = 'flag' | 'environment' | 'file' | 'profile' | 'default';

/** A setting and its source. */
interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** The settings of the client. `clientOptions` reads the API key from its source. */
export type ServiceSettings = {readonly [Name in keyof Values]: Setting<Values[Name]>} & {
  readonly profile: Setting<string | undefined>;
  readonly apiKey: Setting<ApiKeySource | undefined>;
  /** The profile has a key, but for another service. */
  readonly isKeyWithheld: boolean;
};

/** The source of the API key: a file (`-` is stdin), a variable, or a text of a profile or a credentials file. */
type ApiKeySource = {readonly file: string} | {readonly variable: string} | {readonly text: string};

/** Refuses an API key from the stdin that a wrapped command reads. @throws AppError `usage` */
export function refuseKeyFromStdin(source: ApiKeySource | undefined): void {
  if (source === undefined || !('file' in source) || source.file !== '-') return;
  throw new AppError('usage', 'The API key cannot come from stdin: it belongs to the command.', {
    hint: 'Pass a file with --api-key-file PATH, or use --credentials-file.',
  });
}

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

/** No profile is named, and none is in use. */
export const noProfile: ChosenProfile = {
  name: {value: undefined, origin: 'default'},
  profile: undefined,
};

/**
 * Resolves the settings of the service, each from its first source in the order of `Origin`.
 *
 * @param chosen see `chooseProfile`
 * @param known the service of a credentials file; only a flag overrides it, so that its key goes nowhere else
 */
export function resolveService(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  chosen: ChosenProfile,
  known?: CredentialsFileService,
): ServiceSettings {
  const pick = <Name extends keyof Values>(name: Name, profile?: Profile) => {
    const {flag, member, initial}: Definition = definitions[name];
    const saved = member && profile?.[member];
    const found: Setting<unknown> =
      flags[flag] !== undefined
        ? {value: flags[flag], origin: isGiven(flag) ? 'flag' : 'environment'}
        : {value: saved ?? initial, origin: saved === undefined ? 'default' : 'profile'};
    return found as Setting<Values[Name]>;
  };
  const baseUrl: Setting<string> =
    known !== undefined && !isGiven('base-url')
      ? {value: known.baseUrl, origin: 'file'}
      : pick('baseUrl', chosen.profile);
  // No other service may receive the key and header of a profile's service.
  const profile =
    chosen.profile && isSameService(chosen.profile.base_url, baseUrl.value)
      ? chosen.profile
      : undefined;
  const apiKey = apiKeySource(flags, isGiven, profile, known);
  return {
    profile: chosen.name,
    baseUrl,
    apiKey,
    isKeyWithheld: apiKey.value === undefined && !profile && chosen.profile?.api_key !== undefined,
    authHeader: pick('authHeader', profile),
    timeout: pick('timeout'),
    retries: pick('retries'),
  };
}

/** The options of a client for these settings; reads the API key. */
export async function clientOptions(settings: ServiceSettings): Promise<ClientOptions> {
  return {
    baseUrl: settings.baseUrl.value,
    apiKey: await readApiKey(settings.apiKey.value),
    authHeader: settings.authHeader.value,
    timeout: settings.timeout.value,
    retries: settings.retries.value,
  };
}

/** Whether flags and environment lack the base URL or the key. */
export function isProfileNeeded(flags: ServiceFlagValues): boolean {
  const isKeyGiven = flags['api-key-file'] !== undefined || process.env[apiKeyVariable];
  return flags['base-url'] === undefined || !isKeyGiven;
}

/** The named profile, or else the one in use. Reads the settings file only when needed. */
export async function chooseProfile(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  store: Pick<ProfileStore, 'get' | 'path' | 'read'>,
  known?: CredentialsFileService,
): Promise<ChosenProfile> {
  if (flags.profile !== undefined) {
    const origin = isGiven('profile') ? 'flag' : 'environment';
    return {name: {value: flags.profile, origin}, profile: await profileIn(store, flags.profile)};
  }
  if (known !== undefined || !isProfileNeeded(flags)) return noProfile;
  const {current} = await store.read();
  if (current === null) return noProfile;
  return {name: {value: current, origin: 'profile'}, profile: await profileIn(store, current)};
}

/** A profile of the settings file, with a warning if every user of this machine can read its key. */
async function profileIn(
  store: Pick<ProfileStore, 'get' | 'path'>,
  name: string,
): Promise<Profile> {
  const profile = await store.get(name);
  if (profile.api_key !== undefined) warnOfReaders(store.path, 'the API keys');
  return profile;
}

function apiKeySource(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  profile: Profile | undefined,
  known: CredentialsFileService | undefined,
): Setting<ApiKeySource | undefined> {
  const file = flags['api-key-file'];
  if (file !== undefined) refuseSecretAsPath(file, '--api-key-file');
  if (file !== undefined && isGiven('api-key-file')) return {value: {file}, origin: 'flag'};
  if (known !== undefined) {
    return {value: known.apiKey === undefined ? undefined : {text: known.apiKey}, origin: 'file'};
  }
  if (cleanSecret(process.env[apiKeyVariable] ?? '') !== '') {
    return {value: {variable: apiKeyVariable}, origin: 'environment'};
  }
  if (file !== undefined) return {value: {file}, origin: 'environment'};
  if (profile?.api_key !== undefined) return {value: {text: profile.api_key}, origin: 'profile'};
  return {value: undefined, origin: 'default'};
}

/** The names of the key and of its flag in messages. */
export const apiKeyFile = {what: 'API key', flag: '--api-key-file'} as const;

async function readApiKey(source: ApiKeySource | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if ('text' in source) return source.text;
  if ('variable' in source) return cleanSecret(process.env[source.variable] ?? '');
  return readSecretFile(source.file, apiKeyFile);
}

/** The settings as commands show them; of the API key only the location. */
export function shownSettings(
  settings: ServiceSettings,
  {path}: Pick<ProfileStore, 'path'>,
): Readonly<Record<'file' | 'profile' | 'apiKey' | keyof Values, SettingView>> {
  const from = (flag: keyof typeof serviceFlags, {origin}: Setting<unknown>) =>
    ({
      flag: `--${flag}`,
      environment: serviceFlags[flag].env ?? '',
      profile: `profile ${settings.profile.value}`,
      file: 'credentials file',
      default: 'default',
    })[origin];
  const row = (name: keyof Values): SettingView => {
    const {flag, title, show = String}: Definition = definitions[name];
    return {name: title, value: show(settings[name].value), from: from(flag, settings[name])};
  };
  const {value, origin} = settings.profile;
  const source = origin === 'profile' ? 'in use' : from('profile', settings.profile);
  return {
    file: {
      name: 'settings file',
      value: path,
      from: existsSync(path) ? 'exists' : 'does not exist yet',
    },
    profile: {
      name: 'profile',
      ...(value === undefined ? {value: 'none', from: 'not used'} : {value, from: source}),
    },
    baseUrl: row('baseUrl'),
    apiKey: {name: 'API key', ...shownKey(settings, from('api-key-file', settings.apiKey))},
    authHeader: row('authHeader'),
    timeout: row('timeout'),
    retries: row('retries'),
  };
}

function shownKey(
  {apiKey, profile, isKeyWithheld}: ServiceSettings,
  from: string,
): Omit<SettingView, 'name'> {
  const {value: source} = apiKey;
  if (isKeyWithheld) {
    const why = `withheld: the key of profile ${profile.value} is for another service`;
    return {value: 'none', from: why};
  }
  if (source === undefined) return {value: 'none', from: 'not set'};
  if ('variable' in source) return {value: 'given', from: source.variable};
  if ('text' in source) return {value: 'saved', from};
  return {value: source.file === '-' ? 'in standard input' : `in ${source.file}`, from};
}

/** Characters after the prefix that distinguish a key. */
const shownCharacters = 4;

/** Minimum length of a key whose beginning may be shown, in characters. */
const shortestShown = 20;

/**
 * The beginning of an API key, so that its owner recognizes it: the prefix of its kind, and four more
 * characters. For a short key only `…`.
 */
export function keyPrefix(key: string): string {
  if (key.length < shortestShown) return '…';
  const kind = claimedKind(key);
  const prefix = kind === undefined ? '' : secretPrefixes[kind];
  return `${key.slice(0, prefix.length + shownCharacters)}…`;
}
