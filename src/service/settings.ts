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
import type {Io} from '../terminal/io.js';
import {existingProfile, type Profile, type ProfileStore} from './profiles/store.js';
import {readSecretFile, warnOfReaders} from './secret-input.js';

/** The variable that holds the API key itself; no flag does. */
export const apiKeyVariable: VariableWithoutFlag = 'CONNECTORCTL_API_KEY';

/** The default service: where `serve` listens by default. */
export const defaultBaseUrl = `http://${defaultEndpoint.host}:${defaultEndpoint.port}`;

/**
 * The settings by their names, each with its title in the output, its flag with the variable, its member of a profile,
 * its default, and the text of a value other than `String`. A new one needs a row here, and its use in the client.
 */
const rows = {
  baseUrl: {
    title: 'base URL',
    flag: 'base-url',
    option: Flags.string({
      char: letters['base-url'],
      description: 'base URL of the service: http:// or https://',
      env: 'CONNECTORCTL_BASE_URL',
      helpValue: 'URL',
    }),
    member: 'base_url',
    initial: defaultBaseUrl,
  },
  apiKey: {
    title: 'API key',
    flag: 'api-key-file',
    option: Flags.string({
      description: 'file that holds the API key; - is stdin',
      env: 'CONNECTORCTL_API_KEY_FILE',
      helpValue: 'PATH',
    }),
    member: 'api_key',
  },
  authHeader: {
    title: 'key header',
    flag: 'auth-header',
    option: Flags.string({
      description: 'header for the API key; only Authorization adds "Bearer"',
      env: 'CONNECTORCTL_AUTH_HEADER',
      helpValue: 'NAME',
    }),
    member: 'auth_header',
    initial: clientDefaults.authHeader,
  },
  profile: {
    title: 'profile',
    flag: 'profile',
    option: Flags.string({
      char: letters.profile,
      description: 'profile to use; see profile list',
      env: 'CONNECTORCTL_PROFILE',
      helpValue: 'NAME',
    }),
  },
  timeout: {
    title: 'time limit',
    flag: 'timeout',
    option: durationFlag({description: 'time limit of one attempt', env: 'CONNECTORCTL_TIMEOUT'}),
    initial: clientDefaults.timeout,
    text: (value: string | number) => `${Number(value) / 1000}s`,
  },
  retries: {
    title: 'retries',
    flag: 'retries',
    option: integerFlag({
      description: 'number of retries of a failed request, when that is safe',
      env: 'CONNECTORCTL_RETRIES',
      max: 100,
      min: 0,
    }),
    initial: clientDefaults.retries,
  },
} as const;

type Rows = typeof rows;
type Name = keyof Rows;
type SettingFlags = {readonly [N in Name as Rows[N]['flag']]: Rows[N]['option']};
const settingFlags: SettingFlags = fromRows(rows, (name) => {
  const {flag, option} = rows[name];
  return [flag, {...option, helpGroup: 'SERVICE'}];
});

/** Flags for the address of the service and the connection to it. */
export const serviceFlags = {
  ...settingFlags,
  debug: Flags.boolean({
    description: 'report settings, requests and responses on stderr, secrets redacted',
    env: 'CONNECTORCTL_DEBUG',
    helpGroup: 'SERVICE',
  }),
};

/** The flags whose values a profile can hold. */
export const savedFlags = Object.values(rows).flatMap((row) => ('member' in row ? [row.flag] : []));

/** The flags that select the service and the key. */
export const selectingFlags = [...savedFlags, rows.profile.flag];

/** The values of `serviceFlags`, each from its flag or its environment variable. */
export type ServiceFlagValues = Partial<Interfaces.InferredFlags<typeof serviceFlags>>;

/** The settings that have a default. The profile and the API key follow rules of their own. */
const {profile: _profile, apiKey: _apiKey, ...valued} = rows;
type Valued = keyof typeof valued;
type Values = {readonly [N in Valued]: Rows[N]['initial']};
type ValuedSettings = {readonly [N in Valued]: Setting<Values[N]>};

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
  const pick = (name: Valued, profile: Profile | undefined): Setting<string | number> => {
    const row = rows[name];
    const {flag, initial} = row;
    const value = flags[flag];
    if (value !== undefined && isGiven(flag)) return {value, origin: 'flag'};
    if (name === 'baseUrl' && known !== undefined) return {value: known.baseUrl, origin: 'file'};
    if (value !== undefined) return {value, origin: 'environment'};
    const saved = 'member' in row ? profile?.[row.member] : undefined;
    if (saved !== undefined) return {value: saved, origin: 'profile'};
    return {value: initial, origin: 'default'};
  };
  const resolve = (profile: Profile | undefined): ValuedSettings =>
    fromRows(valued, (name) => [name, pick(name, profile)]);
  const {baseUrl} = resolve(chosen.profile);
  if (known !== undefined && !isGiven('api-key-file')) requireOwnService(known, baseUrl.value);
  // No other service may receive the key and header of a profile's service.
  const profile =
    chosen.profile && isSameService(chosen.profile.base_url, baseUrl.value)
      ? chosen.profile
      : undefined;
  const saved = chosen.profile?.api_key;
  const savedKey: ApiKey = profile ? {text: saved, origin: 'profile'} : {origin: 'withheld'};
  const apiKey = givenKey(flags, isGiven, known) ?? (saved ? savedKey : {origin: 'unset'});
  return {...resolve(profile), baseUrl, apiKey, profile: chosen.name};
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
  const text = keyInEnvironment();
  if (text !== '') return {text, origin: 'environment'};
  return file === undefined ? undefined : {file, origin: 'environment'};
}

const keyInEnvironment = () => cleanSecret(process.env[apiKeyVariable] ?? '');

/** The options of a client for these settings, which `readSettings` checks; reads the API key. */
export async function clientOptions({apiKey: {text, file}, ...settings}: ServiceSettings, io: Io) {
  const values: Values = fromRows(valued, (name) => [name, settings[name].value]);
  const apiKey = file === undefined ? text : await readSecretFile(file, {...apiKeyFile, io});
  return {...values, apiKey} satisfies ClientOptions;
}

/** The names of the key and of its flag in messages. */
export const apiKeyFile = {what: 'API key', flag: '--api-key-file'} as const;

/** Whether flags and environment lack the base URL or the key. */
export function isProfileNeeded(flags: ServiceFlagValues): boolean {
  const isKeyGiven = flags['api-key-file'] !== undefined || keyInEnvironment() !== '';
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
  const {apiKey} = resolved;
  const view = (name: Name): SettingView => {
    const row = rows[name];
    const {value = 'none'} = name === 'apiKey' ? {value: locationOf(apiKey)} : resolved[name];
    const isKeyVariable = name === 'apiKey' && apiKey.file === undefined;
    const from = {
      flag: `--${row.flag}`,
      environment: isKeyVariable ? apiKeyVariable : (row.option.env ?? ''),
      file: 'credentials file',
      profile: `profile ${resolved.profile.value}`,
      default: 'default',
      current: 'in use',
      withheld: `withheld: the key of profile ${resolved.profile.value} is for another service`,
      unset: name === 'profile' ? 'not used' : 'not set',
    } satisfies Record<Origin, string>;
    return {
      name: row.title,
      value: 'text' in row ? row.text(value) : String(value),
      from: from[resolved[name].origin],
    };
  };
  const {profile, ...others}: Record<Name, SettingView> = fromRows(rows, (name) => [
    name,
    view(name),
  ]);
  const from = existsSync(path) ? 'exists' : 'does not exist yet';
  const file: SettingView = {name: 'settings file', value: path, from};
  return {file, profile, ...others};
}

function locationOf({text, file, origin}: ApiKey): string {
  if (file !== undefined) return file === '-' ? 'in standard input' : `in ${file}`;
  if (text === undefined) return 'none';
  return origin === 'environment' ? 'given' : 'saved';
}

/** An object with an entry for each row of a table. */
function fromRows<Row extends string, Result>(
  table: Readonly<Record<Row, unknown>>,
  entry: (row: Row) => readonly [keyof Result, unknown],
): Result {
  const entries: (readonly [keyof Result, unknown])[] = [];
  for (const row in table) entries.push(entry(row));
  return Object.fromEntries(entries) as Result;
}
