import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import process from 'node:process';
import {Flags} from '@oclif/core';
import {AppError} from '../errors.js';
import type {StoreAdmin} from '../server/admin/admin.js';
import {requireTrustedDirectories, UntrustedFileError} from '../system/trusted-files.js';
import {userDirectory} from '../system/user-directories.js';
import {noColors} from '../terminal/escape.js';
import type {Io} from '../terminal/io.js';

/** The log of a command that opens a store itself. Audit records (JSON lines) go only to a log file or pipe. */
export async function storeLog({isQuiet, log, stderr: {isTerminal}}: Io) {
  const {createLogger} = await import('../server/observability/logger.js');
  return createLogger(isQuiet ? 'error' : 'warn', log, {
    palette: isTerminal ? noColors : undefined,
    keepsAudit: !isQuiet && !isTerminal,
  });
}

/** The flag for the location of the store. */
export const storeFlags = {
  store: Flags.string({
    description:
      'store of the service: a directory (default: in your data directory) or postgres://…',
    env: 'CONNECTORCTL_STORE',
    helpValue: 'PATH|URL',
  }),
};

/**
 * The location of the store: in the user's data directory unless a flag names another.
 *
 * @throws AppError `usage` when that directory belongs to another user, or everyone can write to it
 */
export function storeLocation({store}: {readonly store?: string | undefined}): string {
  const directory = userDirectory('data', process.env);
  try {
    if (store === undefined) requireTrustedDirectories(directory);
  } catch (error) {
    // Opening the store reports any other error, with a message that names the store.
    if (error instanceof UntrustedFileError) {
      throw new AppError('usage', `${error.message}.`, {
        hint: 'Name another directory with --store, or give this one to the user of the command.',
      });
    }
  }
  return store ?? join(directory.path, 'store');
}

/** The location of a store for a message: without the login of a database. */
export async function shownStore(location: string): Promise<string> {
  const {describeStore} = await import('../store/open.js');
  return describeStore(location);
}

/** The value of `--store` in a suggested command: `URL` replaces the URL of a database, which may hold a password. */
export async function typedStore(flag: string | undefined): Promise<string | undefined> {
  const {isPostgresLocation} = await import('../store/open.js');
  return flag !== undefined && isPostgresLocation(flag) ? 'URL' : flag;
}

/**
 * Opens a store for its operator, even while a service uses it, and closes it afterwards.
 *
 * @param flags see `storeLocation`
 */
export async function withStoreAdmin<T>(
  flags: Parameters<typeof storeLocation>[0],
  io: Io,
  use: (admin: StoreAdmin) => Promise<T>,
): Promise<T> {
  const location = storeLocation(flags);
  const [{useStoreAdmin}, log, {isPostgresLocation, openStore}] = await Promise.all([
    import('../server/control/open-admin.js'),
    storeLog(io),
    import('../store/open.js'),
    // Loaded before `actAsOwner`: the owner of the store may not be able to read the program.
    import('../store/json-file/open.js'),
  ]);
  const end = io.progress(() => 'Waiting for the store …');
  const actAsBefore = isPostgresLocation(location) ? undefined : await actAsOwner(location);
  const onWait = (reason: string) => io.note(`Waiting: ${reason}`);
  try {
    return await useStoreAdmin(location, {openStore, log, onWait}, use);
  } finally {
    actAsBefore?.();
    end();
  }
}

/**
 * Makes the superuser act as the owner of a store, for the whole process: new files belong to the owner, and the
 * owner's links cannot lead where the owner has no access.
 *
 * @returns a function that undoes the change; undefined if nothing changed, such as for an owner without access
 */
async function actAsOwner(directory: string): Promise<(() => void) | undefined> {
  const {geteuid, getegid, getgroups, setgroups, setegid, seteuid} = process;
  if (geteuid?.() !== 0 || !(getegid && getgroups && setgroups && setegid && seteuid)) return;
  const owner = await stat(directory).catch(() => undefined);
  if (owner === undefined || owner.uid === 0) return;
  const before = {gid: getegid(), groups: getgroups()};
  const undo = (): void => {
    seteuid(0);
    setegid(before.gid);
    setgroups(before.groups);
  };
  try {
    setgroups([owner.gid]);
    setegid(owner.gid);
    seteuid(owner.uid);
    await readdir(directory);
    return undo;
  } catch {
    // Without the privilege or the owner's access, opening the store reports the error.
    if (geteuid() !== 0) undo();
    return undefined;
  }
}
