import {syncDirectory} from '../../../sync-directory.js';
import type {StoreLog} from '../../store.js';
import {type Files, modes} from '../files.js';
import {formatVersion, inFolder, isData, names} from '../format/layout.js';
import type {Upgrades} from './file.js';

/**
 * The upgrades that this build has, each out of the version it is listed under. Version 1 is the
 * first, so there is none yet; a version 2 adds `[1, (record) => …]`.
 */
export const upgrades: Upgrades = new Map();

/**
 * Copies a store's files, as they are, into `backup-version-N` inside its folder. A backup that is
 * there already is whole (it is renamed into place) and is kept: it is of the store as it was
 * before an earlier try.
 */
export async function backUp(
  files: Files,
  folder: string,
  version: number,
  log: StoreLog,
): Promise<void> {
  const backup = inFolder(folder, names.backup(version));
  const draft = names.temporary(backup);
  const listing = await files.readdir(folder);
  if (listing.includes(names.backup(version))) return;
  try {
    await files.rm(draft, {recursive: true, force: true});
    await files.mkdir(draft, {mode: modes.folder});
    for (const name of listing.filter(isData)) {
      const copy = inFolder(draft, name);
      await files.copyFile(inFolder(folder, name), copy);
      const handle = await files.open(copy, 'r+');
      await handle.sync().finally(() => handle.close());
    }
    await syncDirectory(files, draft);
    await files.rename(draft, backup);
    await syncDirectory(files, folder);
  } catch (error) {
    await files.rm(draft, {recursive: true, force: true});
    throw error;
  }
  log.info({folder, backup, from: version, to: formatVersion}, 'store backed up, to be migrated');
}
