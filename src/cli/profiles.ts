import {chmod, mkdir, readFile, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {AppError} from '../errors.js';
import type {Profile, Settings} from './settings-schema.js';

export type {Profile, Settings} from './settings-schema.js';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws AppError `usage` unless the name can be a file's name too */
export function checkProfileName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new AppError('usage', `${JSON.stringify(name)} cannot be a profile's name.`, {
    hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first.',
  });
}

/** @throws AppError `usage` unless the text is a whole HTTP URL */
export function checkBaseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new AppError('usage', `${JSON.stringify(text)} is not an HTTP URL.`, {
    hint: 'Write it whole, such as https://connectors.example or http://127.0.0.1:4480.',
  });
}

/** The settings file and the key files beside it, in the user's configuration directory. */
export class ProfileStore {
  readonly #folder: string;
  /** The settings file. */
  readonly path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'settings.json');
  }

  /** Where `login` keeps the key of a profile. */
  keyPath(name: string): string {
    return join(this.#folder, 'keys', `${name}.key`);
  }

  /**
   * Reads the settings; without a file they are empty.
   *
   * @throws AppError `usage` when the file is broken, newer than this release, or cannot be read
   */
  async read(): Promise<Settings> {
    const text = await this.#text();
    if (text === undefined) return {version: 1, current: null, profiles: {}};
    const json = parseJson(text);
    const {Settings, settingsVersion} = await import('./settings-schema.js');
    const settings = Settings.safeParse(json);
    if (settings.success) return settings.data;
    const version = typeof json === 'object' && json !== null && 'version' in json && json.version;
    if (typeof version === 'number' && version > settingsVersion) {
      throw this.#refuse(`was written by a newer connectorctl (version ${version})`, 'Upgrade');
    }
    throw this.#refuse('is not a settings file of connectorctl', 'Mend or move it away');
  }

  /** One profile. @throws AppError `usage` when there is none of this name */
  async get(name: string): Promise<Profile> {
    const {profiles} = await this.read();
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile !== undefined) return profile;
    throw new AppError('usage', `There is no profile ${JSON.stringify(name)}.`, {
      hint: 'See: connectorctl profile list',
    });
  }

  /** Changes the settings as a whole; a file that cannot be read is never overwritten. */
  async change(edit: (settings: Settings) => Settings): Promise<Settings> {
    const next = edit(await this.read());
    await this.#write(this.path, `${JSON.stringify(next, null, 2)}\n`);
    return next;
  }

  /** Writes a profile's key to a file of its own and returns its path. */
  async writeKey(name: string, key: string): Promise<string> {
    await this.#write(this.keyPath(name), `${key}\n`);
    return this.keyPath(name);
  }

  /** Removes the key file that `login` made for a profile, if it did. */
  async removeKey(name: string): Promise<void> {
    await rm(this.keyPath(name), {force: true});
  }

  async #text(): Promise<string | undefined> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw this.#refuse(`cannot be read: ${reasonOf(error)}`, 'Make it readable');
    }
  }

  async #write(path: string, content: string): Promise<void> {
    try {
      const {default: writeFileAtomic} = await import('write-file-atomic');
      await mkdir(dirname(path), {mode: 0o700, recursive: true});
      await writeFileAtomic(path, content, {mode: 0o600});
      // A file that was there before keeps its mode through the library's rename.
      await chmod(path, 0o600);
    } catch (error) {
      throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}`, {
        hint: 'Nothing was saved. Flags and environment variables work without any settings file.',
        cause: error,
      });
    }
  }

  #refuse(why: string, what: string): AppError {
    return new AppError('usage', `The settings file ${this.path} ${why}; it was not touched.`, {
      hint: `${what}, or do without profiles: flags and environment variables need no file.`,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
