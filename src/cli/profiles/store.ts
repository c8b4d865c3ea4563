import {randomBytes} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {jsonOrUndefined} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import type {Clock} from '../../system/clock.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {
  readTrusted,
  requireTrustedDirectories,
  UntrustedFileError,
} from '../../system/trusted-files.js';
import type {UserDirectory} from '../../system/user-directories.js';
import {refuseSecret} from '../errors/misplaced-secret.js';
import {hasCode, reasonOf} from '../errors/system-error.js';
import {runInterruptible} from '../terminal/signals.js';
import type {Profile, Settings} from './schema.js';

export type {Profile, Settings} from './schema.js';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws AppError `usage` unless the name is a valid file name and not a secret */
export function checkProfileName(name: string): string {
  refuseSecret(name, "a profile's name", 'To save an API key, use: connectorctl login');
  if (namePattern.test(name)) return name;
  throw new AppError('usage', `${JSON.stringify(name)} is not a valid profile name.`, {
    hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores; start with a letter or digit.',
  });
}

const settingsName = 'settings.json';

/** Settings without a profile. */
const noSettings: Settings = {version: 1, current: null, profiles: {}};

/** The profile of this name; undefined when it does not exist. */
export function profileOf({profiles}: Settings, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The profile of this name. @throws AppError `usage` when it does not exist */
export function existingProfile(settings: Settings, name: string): Profile {
  const profile = profileOf(settings, name);
  if (profile !== undefined) return profile;
  throw new AppError('usage', `Profile ${JSON.stringify(name)} does not exist.`, {
    hint: 'See the profiles with: connectorctl profile list',
  });
}

/** The settings with one profile added or replaced. */
export function withProfile(
  settings: Settings,
  name: string,
  profile: Profile,
  current: string | null,
): Settings {
  return {...settings, current, profiles: {...settings.profiles, [name]: profile}};
}

/** The settings before and after a change. */
interface Change {
  readonly before: Settings;
  readonly after: Settings;
}

/** The settings file and its key files, in the user's configuration directory. */
export class ProfileStore {
  /** The settings file. */
  readonly path: string;
  readonly #directory: UserDirectory;
  readonly #keyDirectory: string;
  /** What a process that was killed left of a key is replaced or removed by the next change. */
  readonly #keyDraft: string;
  readonly #clock: Clock | undefined;

  /** @param clock by default that of the system */
  constructor(directory: UserDirectory, clock?: Clock) {
    this.#clock = clock;
    this.#directory = directory;
    this.path = join(directory.path, settingsName);
    this.#keyDirectory = join(directory.path, 'keys');
    this.#keyDraft = join(this.#keyDirectory, 'key.tmp');
  }

  /**
   * Reads the settings; they are empty without a file.
   *
   * @throws AppError `usage` when the file is broken, newer than this release, cannot be read, or another user may have
   * written it or the keys
   */
  async read(): Promise<Settings> {
    const text = this.#text();
    if (text === undefined) return noSettings;
    const json = jsonOrUndefined(text);
    const {Settings, settingsVersion} = await import('./schema.js');
    const settings = Settings.safeParse(json);
    if (settings.success) return settings.data;
    const version = typeof json === 'object' && json !== null && 'version' in json && json.version;
    if (typeof version === 'number' && version > settingsVersion) {
      throw this.#refuse(`was written by a newer connectorctl (version ${version})`, 'Upgrade');
    }
    throw this.#refuse('is not a settings file of connectorctl', 'Fix it or move it away');
  }

  /** One profile. @throws AppError `usage` when it does not exist */
  async get(name: string): Promise<Profile> {
    return existingProfile(await this.read(), name);
  }

  /**
   * Changes the settings, one process at a time. It never overwrites a file that it cannot read, and
   * removes a key file that it created and no profile names any more.
   *
   * @throws AppError `usage` when it cannot, and what `edit` throws; the settings are then unchanged
   */
  change(edit: (settings: Settings) => Settings): Promise<Settings> {
    return this.#locked(async () => {
      const change = await this.#save(edit);
      await this.#removeUnusedKeys(change);
      return change.after;
    });
  }

  /** One process at a time. */
  #locked<T>(work: () => Promise<T>): Promise<T> {
    return this.#writing(this.path, async () => {
      this.#checkDirectories();
      // Loaded here: most commands change no settings.
      const {makeDirectory} = await import('../../system/make-directory.js');
      await makeDirectory(dirname(this.path));
      const {patience, ProcessLock} = await import('../../system/process-lock.js');
      const {systemClock} = await import('../../system/clock.js');
      const clock = this.#clock ?? systemClock;
      const deadline = clock.now() + patience;
      const wait = ({pid, host}: LockOwner) => {
        if (clock.now() >= deadline) throw this.#busy(pid, host);
      };
      const label = 'changing the settings';
      return runInterruptible(async (signal) => {
        const lock = await ProcessLock.acquire(this.path, {label, wait, clock, signal});
        try {
          // A signal waits for these few milliseconds.
          return await work();
        } finally {
          await lock.release();
        }
      });
    });
  }

  async #save(edit: (settings: Settings) => Settings): Promise<Change> {
    const before = await this.read();
    const after = edit(before);
    const {ownerOnly, writeUserFile} = await import('../../system/durable-file.js');
    const {nodeFiles} = await import('../../system/files.js');
    const text = `${JSON.stringify(after, null, 2)}\n`;
    await writeUserFile(nodeFiles, this.path, text, {mode: ownerOnly, isLocked: true});
    return {before, after};
  }

  async #removeUnusedKeys({before, after}: Change): Promise<void> {
    const kept = this.#ownKeyFiles(after);
    const unused = [...this.#ownKeyFiles(before)].filter((path) => !kept.has(path));
    for (const path of [...unused, this.#keyDraft]) await this.#removeKey(path);
  }

  /**
   * Saves a profile with its key and puts it in use. Each key gets a new file: a profile must never name
   * one service and hold the key of another.
   *
   * @throws AppError `usage` when it cannot; nothing is saved then, unless only the key before it remains
   */
  saveWithKey(name: string, profile: Profile, key: string): Promise<Profile> {
    return this.#locked(async () => {
      const file = join(this.#keyDirectory, `${name}-${randomBytes(4).toString('hex')}.key`);
      await this.#writeKey(file, key);
      const saved = {...profile, api_key_file: file};
      const edit = (settings: Settings) => withProfile(settings, name, saved, name);
      const change = await this.#save(edit).catch(async (error: unknown) => {
        await rm(file, {force: true}).catch(() => undefined);
        throw error;
      });
      await this.#removeUnusedKeys(change);
      return saved;
    });
  }

  /** Whether `saveWithKey` created a key file, rather than the user. */
  isOwnKeyFile(path: string): boolean {
    return dirname(path) === this.#keyDirectory;
  }

  /** The key files created here, not those named by the user. */
  #ownKeyFiles({profiles}: Settings): ReadonlySet<string> {
    const files = Object.values(profiles).map((profile) => profile.api_key_file ?? '');
    return new Set(files.filter((path) => this.isOwnKeyFile(path)));
  }

  async #removeKey(path: string): Promise<void> {
    try {
      await rm(path, {force: true});
    } catch (error) {
      throw new AppError('usage', `The old API key is still in ${path}: ${reasonOf(error)}`, {
        hint: 'The settings are changed. Remove the file by hand.',
      });
    }
  }

  #text(): string | undefined {
    try {
      this.#checkDirectories();
      return readTrusted(this.#directory, settingsName).toString();
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      if (error instanceof UntrustedFileError) {
        throw this.#refuse(
          `cannot be used: ${error.message}`,
          'Make it yours (chown, chmod o-w; with sudo, use sudo -H) or remove it',
        );
      }
      throw this.#refuse(`cannot be read: ${reasonOf(error)}`, 'Make it readable');
    }
  }

  /** Whoever can change the names of the files can give the key of one service to another. */
  #checkDirectories(): void {
    requireTrustedDirectories({...this.#directory, path: this.#keyDirectory});
  }

  #writeKey(path: string, key: string): Promise<void> {
    return this.#writing(path, async () => {
      const {makeDirectory} = await import('../../system/make-directory.js');
      const {writeDurably} = await import('../../system/durable-file.js');
      const {nodeFiles} = await import('../../system/files.js');
      await makeDirectory(this.#keyDirectory);
      await writeDurably(nodeFiles, path, `${key}\n`, {draft: this.#keyDraft});
    });
  }

  async #writing<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('usage', `Cannot write ${path}: ${reasonOf(error)}`, {
        hint: 'Nothing was saved. Flags and environment variables work without a settings file.',
        cause: error,
      });
    }
  }

  #busy(pid: number, host: string): AppError {
    const owner = `process ${pid} on ${escapeControl(host)}`;
    return new AppError('usage', `The settings file ${this.path} is being changed by ${owner}.`, {
      hint: 'Nothing was saved. Try again when that process has ended.',
    });
  }

  #refuse(why: string, what: string): AppError {
    return new AppError('usage', `The settings file ${this.path} ${why}; it was not touched.`, {
      hint: `${what}, or give both the base URL and the API key by flag or environment.`,
    });
  }
}
