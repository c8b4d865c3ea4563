import {dirname, join} from 'node:path';
import {checkAuthHeader, checkedUrl, isSameService} from '../../client/settings.js';
import {jsonOrUndefined, otherVersion} from '../../domain/json.js';
import {refuseSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {hasCode, reasonOf} from '../../system/system-error.js';
import {
  readTrustedFile,
  requireTrustedDirectories,
  UntrustedFileError,
} from '../../system/trusted-files.js';
import {type UserDirectory, userDirectory} from '../../system/user-directories.js';
import type {Profile, SettingsFile} from './schema.js';

export type {Profile, SettingsFile} from './schema.js';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws AppError `usage` for a name that does not match `namePattern` or is a secret */
export function checkProfileName(name: string): string {
  refuseSecret(name, "a profile's name", 'To save an API key, use: connectorctl login');
  if (namePattern.test(name)) return name;
  throw new AppError('usage', `${JSON.stringify(name)} is not a valid profile name.`, {
    hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores; start with a letter or digit.',
  });
}

const settingsName = 'settings.json';

/** The settings while no profile is saved. */
const noSettings: SettingsFile = {version: 1, current: null, profiles: {}};

/** The profile of this name; undefined when it does not exist. */
export function profileOf({profiles}: SettingsFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The profile of this name. @throws AppError `usage` when it does not exist */
export function existingProfile(settings: SettingsFile, name: string): Profile {
  const profile = profileOf(settings, name);
  if (profile !== undefined) return profile;
  throw new AppError('usage', `Profile ${JSON.stringify(name)} does not exist.`, {
    hint: 'See the profiles with: connectorctl profile list',
  });
}

/**
 * The settings with one profile added or changed.
 *
 * @param change members to set; undefined leaves one unchanged
 * @throws AppError `usage` for an invalid change, or one that would send a key to another service
 */
export function withProfile(
  settings: SettingsFile,
  name: string,
  change: {readonly [Member in keyof Profile]?: Profile[Member] | undefined},
  current: string | null,
): SettingsFile {
  const before = profileOf(settings, name);
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const after: Partial<Profile> = {...before, ...Object.fromEntries(given)};
  if (after.base_url === undefined) {
    throw new AppError('usage', `Profile ${name} is new and needs a base URL.`, {
      hint: 'Set it with --base-url URL.',
    });
  }
  const baseUrl = checkedUrl(after.base_url);
  if (after.auth_header !== undefined) checkAuthHeader(after.auth_header);
  const isKept = before?.api_key && change.api_key === undefined;
  if (isKept && !isSameService(before.base_url, baseUrl)) {
    throw new AppError('usage', `The API key of profile ${name} is only for ${before.base_url}.`, {
      hint: `Pass the key of the new service with --api-key-file, or with: connectorctl login --profile ${name} --base-url ${baseUrl}`,
    });
  }
  const profile = {...after, base_url: baseUrl};
  return {...settings, current, profiles: {...settings.profiles, [name]: profile}};
}

/** A profile as commands print it: whether it has a key, never the key. */
export function shownProfile(name: string, {api_key: key, ...profile}: Profile) {
  return {name, ...profile, has_api_key: key !== undefined};
}
export type ShownProfile = ReturnType<typeof shownProfile>;

/** The settings file in the user's configuration directory; it holds the API keys of the profiles. */
export class ProfileStore {
  readonly path: string;
  readonly #directory: UserDirectory;

  constructor(directory: UserDirectory) {
    this.#directory = directory;
    this.path = join(directory.path, settingsName);
  }

  /**
   * Reads the settings; they are empty without a file.
   *
   * @throws AppError `usage` when the file is broken, has another format version, cannot be read, or may have been
   * written by another user
   */
  async read(): Promise<SettingsFile> {
    const text = this.#text();
    if (text === undefined) return noSettings;
    const {SettingsFile} = await import('./schema.js');
    const document = jsonOrUndefined(text);
    const settings = SettingsFile.safeParse(document);
    if (settings.success) return settings.data;
    const why = otherVersion(document, noSettings.version) ?? 'has unknown content';
    throw this.#refuse(why, 'Fix it or move it away');
  }

  /**
   * Changes the settings. It never overwrites a file that it cannot read.
   *
   * @throws AppError `usage` when it cannot read or write the file, and what `edit` throws; nothing is changed then
   */
  async change(edit: (settings: SettingsFile) => SettingsFile): Promise<SettingsFile> {
    const after = edit(await this.read());
    // Loaded here: most commands change no settings.
    const {makeDirectory, ownerOnly, writeUserFile} = await import('../../system/durable-file.js');
    const {nodeFiles} = await import('../../system/durable-file.js');
    try {
      await makeDirectory(dirname(this.path));
      const text = `${JSON.stringify(after, null, 2)}\n`;
      await writeUserFile(nodeFiles, this.path, text, {mode: ownerOnly});
    } catch (error) {
      throw new AppError('usage', `Cannot write ${this.path}: ${reasonOf(error)}.`, {
        hint: 'Nothing was saved. Flags and environment variables work without a settings file.',
        cause: error,
      });
    }
    return after;
  }

  #text(): string | undefined {
    try {
      requireTrustedDirectories(this.#directory);
      return readTrustedFile(this.path).toString();
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      const remedy =
        error instanceof UntrustedFileError
          ? 'Make it yours (chown, chmod o-w; with sudo, use sudo -H) or remove it'
          : 'Make it readable';
      throw this.#refuse(`cannot be used: ${reasonOf(error)}`, remedy);
    }
  }

  #refuse(why: string, what: string): AppError {
    return new AppError('usage', `The settings file ${this.path} ${why}; it was not touched.`, {
      hint: `${what}, or give both the base URL and the API key by flag or environment.`,
    });
  }
}

/** The profiles of this user. */
export const userProfiles = () => new ProfileStore(userDirectory('config', process.env));
