import {existsSync} from 'node:fs';
import {Flags, type Interfaces} from '@oclif/core';
import {clientDefaults, isSameService} from '../client/settings.js';
import type {ClientOptions} from '../client/types.js';
import {defaultEndpoint} from '../contract/limits.js';
import {claimedKind, cleanSecret, refuseSecret, refuseSecretAsPath} from '../domain/secret.js';
import {AppError} from '../errors.js';
import {durationFlag, integerFlag, letters, type VariableWithoutFlag} from '../flags.js';
import {escapeControl} from '../terminal/escape.js';
import type {SettingView} from '../terminal/fields.js';
import type {Io} from '../terminal/io.js';
import {existingProfile, type Profile, type ProfileStore} from './profiles/store.js';
import {readSecretFile, warnOfReaders} from './secret-input.js';

/** The variable that holds the API key itself; no flag does. */
export const apiKeyVariable: VariableWithoutFlag = 'CONNECTORCTL_API_KEY';

/** The default service: where `serve` listens by default. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

const helpGroup = 'SERVICE';

/** Flags for the address of the service and the connection to it. */
export const serviceFlags = {
  'base-url': Flags.string({
    char: letters['base-url'],
    description: 'base URL of the service: http:// or https://',
    env: 'CONNECTORCTL_BASE_URL',
    helpGroup,
    helpValue: 'URL',
  }),
  'api-key-file': Flags.string({
    description: 'file that holds the API key; - is stdin',
    env: 'CONNECTORCTL_API_KEY_FILE',
    helpGroup,
    helpValue: 'PATH',
  }),
  'auth-header': Flags.string({
    description: 'header for the API key; only Authorization adds "Bearer"',
    env: 'CONNECTORCTL_AUTH_HEADER',
    helpGroup,
    helpValue: 'NAME',
  }),
  profile: Flags.string({
    char: letters.profile,
    description: 'profile to use; see profile list',
    env: 'CONNECTORCTL_PROFILE',
    helpGroup,
    helpValue: 'NAME',
  }),
  timeout: durationFlag({
    description: 'time limit of one attempt',
    env: 'CONNECTORCTL_TIMEOUT',
    helpGroup,
  }),
  retries: integerFlag({
    description: 'number of retries of a failed request, when that is safe',
    env: 'CONNECTORCTL_RETRIES',
    helpGroup,
    max: 100,
    min: 0,
  }),
  debug: Flags.boolean({
    description: 'report settings, requests and responses on stderr, secrets redacted',
    env: 'CONNECTORCTL_DEBUG',
    helpGroup,
  }),
};

/** The flags that select the service and the key. */
export const selectingFlags = ['base-url', 'api-key-file', 'auth-header', 'profile'] as const;

/** The values of `serviceFlags`, each from its flag or its environment variable. */
export type ServiceFlagValues = Partial<Interfaces.InferredFlags<typeof serviceFlags>>;

type IsGiven = (flag: keyof ServiceFlagValues) => boolean;

/** The source of a value, in order of precedence, or the reason for its absence. */
type Origin =
  | 'flag'
  | 'file'
  | 'joined'
  | 'environment'
  | 'profile'
  | 'default'
  /** The profile in use, which the settings file names. */
  | 'current'
  /** The API key belongs to another service, so it is not used. */
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
  const pick = <T>(flag: keyof ServiceFlagValues, initial: T, saved?: T): Setting<T> => {
    const value = flags[flag] as T | undefined;
    if (value !== undefined) return {value, origin: isGiven(flag) ? 'flag' : 'environment'};
    return saved === undefined
      ? {value: initial, origin: 'default'}
      : {value: saved, origin: 'profile'};
  };
  const given = pick('base-url', defaultBaseUrl, chosen.profile?.base_url);
  const baseUrl: Setting<string> =
    known && given.origin !== 'flag' ? {value: known.baseUrl, origin: 'file'} : given;
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
    authHeader: pick('auth-header', clientDefaults.authHeader, profile?.auth_header),
    timeout: pick('timeout', clientDefaults.timeout),
    retries: pick('retries', clientDefaults.retries),
  };
}

/** @throws AppError `usage` for a base URL that is not that of the credentials file: its key must not go elsewhere */
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
  const text = keyInEnvironment();
  if (text !== '') return {text, origin: 'environment'};
  return file === undefined ? undefined : {file, origin: 'environment'};
}

const keyInEnvironment = () => cleanSecret(process.env[apiKeyVariable] ?? '');

/** The options of a client for these settings, which `readSettings` checks; reads the API key. */
export async function clientOptions(
  {apiKey: {text, file}, baseUrl, authHeader, timeout, retries}: ServiceSettings,
  io: Io,
) {
  const apiKey = file === undefined ? text : await readSecretFile(file, {...apiKeyFile, io});
  if (apiKey !== undefined && claimedKind(apiKey) === undefined)
    refuseSecret(apiKey, 'an API key', 'Use it with: connectorctl connector activate');
  return {
    baseUrl: baseUrl.value,
    apiKey,
    authHeader: authHeader.value,
    timeout: timeout.value,
    retries: retries.value,
  } satisfies ClientOptions;
}

/** The words for the API key and its flag in messages. */
export const apiKeyFile = {what: 'API key', flag: '--api-key-file'} as const;

/** Whether flags and environment lack the base URL or the key. */
export function isProfileNeeded(flags: ServiceFlagValues): boolean {
  const isKeyGiven = flags['api-key-file'] !== undefined || keyInEnvironment() !== '';
  return flags['base-url'] === undefined || !isKeyGiven;
}

/**
 * The named profile, or else the one in use. Reads the settings file only when needed; with a base URL and no named
 * profile, an unreadable file causes only a warning.
 *
 * @throws AppError `usage` as `ProfileStore` does
 */
export async function chooseProfile(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  store: Pick<ProfileStore, 'path' | 'read'>,
  known: CredentialsFileService | undefined,
  io: Io,
): Promise<ChosenProfile> {
  const isNamed = flags.profile !== undefined;
  if (!isNamed && (known !== undefined || !isProfileNeeded(flags))) return noProfile;
  const saved = await store.read().catch((error: unknown) => {
    if (isNamed || flags['base-url'] === undefined || !(error instanceof AppError)) throw error;
    io.note(`Warning: ${escapeControl(error.message)} Continuing without profiles.`);
    return undefined;
  });
  const value = flags.profile ?? saved?.current ?? undefined;
  if (saved === undefined || value === undefined) return noProfile;
  const profile = existingProfile(saved, value);
  if (profile.api_key !== undefined) warnOfReaders(store.path, 'the API keys', io);
  const origin = isGiven('profile') ? 'flag' : 'environment';
  return {name: {value, origin: isNamed ? origin : 'current'}, profile};
}

/** The settings as commands show them; of the API key only the location. */
export function shownSettings(resolved: ServiceSettings, {path}: Pick<ProfileStore, 'path'>) {
  const {profile, baseUrl, apiKey, authHeader, timeout, retries} = resolved;
  const from = (origin: Origin, flag: keyof typeof serviceFlags, variable?: string): string =>
    ({
      flag: `--${flag}`,
      environment: variable ?? serviceFlags[flag].env ?? '',
      file: 'credentials file',
      joined: 'join word',
      profile: `profile ${profile.value}`,
      default: 'default',
      current: 'in use',
      withheld: 'withheld: it is for another service',
      unset: flag === 'profile' ? 'not used' : 'not set',
    })[origin];
  const view = (name: string, flag: keyof typeof serviceFlags, {value, origin}: Setting<unknown>) =>
    ({name, value: String(value ?? 'none'), from: from(origin, flag)}) satisfies SettingView;
  return {
    file: {
      name: 'settings file',
      value: path,
      from: existsSync(path) ? 'exists' : 'does not exist yet',
    },
    profile: view('profile', 'profile', profile),
    baseUrl: view('base URL', 'base-url', baseUrl),
    apiKey: {
      name: 'API key',
      value: locationOf(apiKey),
      from: from(
        apiKey.origin,
        'api-key-file',
        apiKey.file === undefined ? apiKeyVariable : undefined,
      ),
    },
    authHeader: view('key header', 'auth-header', authHeader),
    timeout: view('time limit', 'timeout', {...timeout, value: `${timeout.value / 1000}s`}),
    retries: view('retries', 'retries', retries),
  };
}

function locationOf({text, file, origin}: ApiKey): string {
  if (file !== undefined) return file === '-' ? 'in standard input' : `in ${file}`;
  if (text === undefined) return 'none';
  return origin === 'environment' ? 'given' : 'saved';
}
