import type {Files} from '../../system/files.js';
import {syncDirectory} from '../../system/sync-directory.js';
import type {StoreLog} from '../store.js';
import {modes} from './files.js';
import {inDirectory, isData, names} from './format/layout.js';
import {formatVersion} from './format/upgrades.js';

/**
 * Copies a store's files unchanged into `backup-version-N` inside its directory. An existing backup is
 * complete, because it is renamed into place, and is kept: it holds the store as it was before an
 * earlier attempt.
 */
export async function backUp(
  files: Files,
  directory: string,
  version: number,
  log: StoreLog,
): Promise<void> {
  const backup = inDirectory(directory, names.backup(version));
  const draft = names.temporary(backup);
  const listing = await files.readdir(directory);
  if (listing.includes(names.backup(version))) return;
  try {
    await files.rm(draft, {recursive: true, force: true});
    await files.mkdir(draft, {mode: modes.directory});
    for (const name of listing.filter(isData)) {
      const copy = inDirectory(draft, name);
      await files.copyFile(inDirectory(directory, name), copy);
      const handle = await files.open(copy, 'r+');
      await handle.sync().finally(() => handle.close());
    }
    await syncDirectory(files, draft);
    await files.rename(draft, backup);
    await syncDirectory(files, directory);
  } catch (error) {
    await files.rm(draft, {recursive: true, force: true});
    throw error;
  }
  log.info(
    {directory, backup, from: version, to: formatVersion},
    'store backed up before its migration',
  );
}
