import {isSameService} from '../../client/settings.js';
import type {ClientOptions} from '../../client/types.js';
import {defaultEndpoint} from '../../contract/limits.js';
import {cleanSecret} from '../../domain/clean-secret.js';
import {AppError} from '../../errors.js';
import {refuseSecretAsPath} from '../errors/misplaced-secret.js';
import {apiKeyVariable, type ServiceFlagValues} from '../flags.js';
import type {Profile, ProfileStore} from '../profiles/store.js';
import {readSecretFile, warnOfReaders} from './secret-input.js';

/** Whether the command line itself names a flag, rather than the environment. */
type IsGiven = (flag: keyof ServiceFlagValues) => boolean;

/** The source of a setting, in order of precedence. */
export type Origin = 'flag' | 'environment' | 'file' | 'profile' | 'default';

/** A setting and its source. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** How to reach the service. `clientOptions` reads the API key from its source. */
export interface ServiceSettings {
  readonly profile: Setting<string | undefined>;
  readonly baseUrl: Setting<string>;
  readonly apiKey: Setting<ApiKeySource | undefined>;
  /** The profile has a key, but for another service. */
  readonly isKeyWithheld: boolean;
  readonly authHeader: Setting<string>;
  readonly timeout: Setting<number>;
  readonly retries: Setting<number>;
}

/** The source of the API key: a file (`-` is stdin), a variable, or a text of a profile or a credentials file. */
export type ApiKeySource =
  | {readonly file: string}
  | {readonly variable: string}
  | {readonly text: string};

/** Whether the API key comes from standard input, which can be read once. */
export function isFromStdin(source: ApiKeySource | undefined): boolean {
  return source !== undefined && 'file' in source && source.file === '-';
}

/** @throws AppError `usage` for a key on the stdin that a command below this process reads */
export function refuseKeyFromStdin(source: ApiKeySource | undefined): void {
  if (!isFromStdin(source)) return;
  throw new AppError('usage', 'The API key cannot come from stdin: it belongs to the command.', {
    hint: 'Pass a file with --api-key-file PATH, or use --credentials-file.',
  });
}

/** The default service: where `serve` listens by default. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

/** The default time limit of an attempt is in milliseconds. */
const defaults = {authHeader: 'Authorization', timeout: 10_000, retries: 2};

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
 * Resolves how to reach the service.
 *
 * @param chosen see `chooseProfile`
 * @param known a key goes to the service that created it, whatever the environment says: only a flag
 *   overrides a credentials file
 */
export function resolveService(
  flags: ServiceFlagValues,
  isGiven: IsGiven,
  chosen: ChosenProfile,
  known?: CredentialsFileService,
): ServiceSettings {
  const pick = picker(flags, isGiven);
  const baseUrl =
    known !== undefined && !isGiven('base-url')
      ? {value: known.baseUrl, origin: 'file' as const}
      : pick('base-url', chosen.profile?.base_url, defaultBaseUrl);
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
    authHeader: pick('auth-header', profile?.auth_header, defaults.authHeader),
    timeout: pick('timeout', undefined, defaults.timeout),
    retries: pick('retries', undefined, defaults.retries),
  };
}

/** Picks the value of a setting: flag or environment, then profile, then default. */
function picker(flags: ServiceFlagValues, isGiven: IsGiven) {
  return <Flag extends Exclude<keyof ServiceFlagValues, 'profile' | 'api-key-file'>>(
    flag: Flag,
    saved: ServiceFlagValues[Flag],
    fallback: NonNullable<ServiceFlagValues[Flag]>,
  ): Setting<NonNullable<ServiceFlagValues[Flag]>> => {
    const value = flags[flag];
    if (value !== undefined) return {value, origin: isGiven(flag) ? 'flag' : 'environment'};
    if (saved !== undefined) return {value: saved, origin: 'profile'};
    return {value: fallback, origin: 'default'};
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

/** The key in a file; `-` is stdin. @throws AppError `usage` */
export function readApiKeyFile(path: string): Promise<string> {
  refuseSecretAsPath(path, '--api-key-file');
  return readSecretFile(path, {what: 'API key', flag: '--api-key-file'});
}

async function readApiKey(source: ApiKeySource | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if ('text' in source) return source.text;
  if ('variable' in source) return cleanSecret(process.env[source.variable] ?? '');
  return readApiKeyFile(source.file);
}
