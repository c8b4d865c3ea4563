import type {ClientOptions} from '../client/types.js';
import {defaultEndpoint} from '../contract/limits.js';
import type {Profile, ProfileStore} from './profiles.js';
import {readSecretFile} from './secret-input.js';

/** The values of `serviceFlags`, each from its flag or its environment variable. */
export interface ServiceFlagValues {
  readonly 'base-url'?: string | undefined;
  readonly 'api-key-file'?: string | undefined;
  readonly 'auth-header'?: string | undefined;
  readonly profile?: string | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
}

/** Where a setting came from: flag, then environment, then profile, then default (design §2). */
export type Origin = 'flag' | 'environment' | 'file' | 'profile' | 'default';

/** A setting and where it came from. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** How to reach the service. The API key is named by its source here and read by `apiKeyOf`. */
export interface ServiceSettings {
  readonly profile: Setting<string | undefined>;
  readonly baseUrl: Setting<string>;
  readonly apiKey: Setting<ApiKeySource | undefined>;
  readonly authHeader: Setting<string>;
  readonly timeout: Setting<number>;
  readonly retries: Setting<number>;
}

/** Where the API key is: in a file (`-` is stdin), in a variable, or already read from a credentials file. */
export type ApiKeySource =
  | {readonly file: string}
  | {readonly variable: string}
  | {readonly text: string};

/** The service that every command talks to unless told otherwise: where `serve` listens. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

/** Milliseconds that one attempt may take, and how often a failed one is repeated. */
const defaults = {authHeader: 'Authorization', timeout: 10_000, retries: 2};

const apiKeyVariable = 'CONNECTORCTL_API_KEY';

/**
 * Settles how to reach the service. The settings file is read only when something is left to it.
 *
 * @param given whether a flag stood on the command line itself
 */
export async function resolveService(
  flags: ServiceFlagValues,
  given: (flag: keyof ServiceFlagValues) => boolean,
  store: ProfileStore,
): Promise<ServiceSettings> {
  const {name, profile} = await chosenProfile(flags, given, store);
  const pick = <T>(
    flag: keyof ServiceFlagValues,
    value: T | undefined,
    saved: T | undefined,
    fallback: T,
  ) =>
    value !== undefined
      ? {value, origin: given(flag) ? ('flag' as const) : ('environment' as const)}
      : saved !== undefined
        ? {value: saved, origin: 'profile' as const}
        : {value: fallback, origin: 'default' as const};
  const baseUrl = pick('base-url', flags['base-url'], profile?.base_url, defaultBaseUrl);
  return {
    profile: name,
    baseUrl,
    apiKey: apiKeySource(flags, given, profile, baseUrl.value),
    authHeader: pick(
      'auth-header',
      flags['auth-header'],
      profile?.auth_header,
      defaults.authHeader,
    ),
    timeout: pick('timeout', flags.timeout, undefined, defaults.timeout),
    retries: pick('retries', flags.retries, undefined, defaults.retries),
  };
}

/**
 * Lets a credentials file say which service and which key: a key goes to the service that made it,
 * whatever the environment names. Only a flag beats it.
 */
export function withKnownService(
  settings: ServiceSettings,
  known: {readonly baseUrl: string; readonly apiKey: string | undefined} | undefined,
): ServiceSettings {
  if (known === undefined) return settings;
  const {baseUrl, apiKey} = settings;
  const key = known.apiKey === undefined ? undefined : {text: known.apiKey};
  return {
    ...settings,
    baseUrl: baseUrl.origin === 'flag' ? baseUrl : {value: known.baseUrl, origin: 'file'},
    apiKey: apiKey.origin === 'flag' ? apiKey : {value: key, origin: 'file'},
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

async function chosenProfile(
  flags: ServiceFlagValues,
  given: (flag: keyof ServiceFlagValues) => boolean,
  store: ProfileStore,
): Promise<{name: Setting<string | undefined>; profile: Profile | undefined}> {
  if (flags.profile !== undefined) {
    const origin = given('profile') ? 'flag' : 'environment';
    return {name: {value: flags.profile, origin}, profile: await store.get(flags.profile)};
  }
  const none = {name: {value: undefined, origin: 'default' as const}, profile: undefined};
  const keyGiven = flags['api-key-file'] !== undefined || process.env[apiKeyVariable];
  if (flags['base-url'] !== undefined && keyGiven) return none;
  const {current} = await store.read();
  if (current === null) return none;
  return {name: {value: current, origin: 'profile'}, profile: await store.get(current)};
}

function apiKeySource(
  flags: ServiceFlagValues,
  given: (flag: keyof ServiceFlagValues) => boolean,
  profile: Profile | undefined,
  baseUrl: string,
): Setting<ApiKeySource | undefined> {
  const file = flags['api-key-file'];
  if (file !== undefined && given('api-key-file')) return {value: {file}, origin: 'flag'};
  if (process.env[apiKeyVariable]?.trim()) {
    return {value: {variable: apiKeyVariable}, origin: 'environment'};
  }
  if (file !== undefined) return {value: {file}, origin: 'environment'};
  // A profile's key is for the profile's service: another base URL must not receive it.
  if (profile?.api_key_file !== undefined && profile.base_url === baseUrl) {
    return {value: {file: profile.api_key_file}, origin: 'profile'};
  }
  return {value: undefined, origin: 'default'};
}

async function readApiKey(source: ApiKeySource | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if ('text' in source) return source.text;
  if ('variable' in source) return process.env[source.variable]?.trim();
  return readSecretFile(source.file, 'API key', '--api-key-file');
}
