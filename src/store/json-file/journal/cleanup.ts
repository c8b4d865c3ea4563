import type {Files} from '../files.js';
import {inDirectory, isTemporary, names, numbersOf} from '../format/layout.js';

/** Removes the leftovers of crashes: unfinished files, and files older than the snapshot `first`. */
export async function removeLeftovers(
  files: Files,
  directory: string,
  first: number,
): Promise<void> {
  const listing = await files.readdir(directory);
  const before = (number: number): boolean => number < first;
  for (const name of listing.filter(isTemporary)) {
    // Only an unfinished backup is a directory.
    const recursive = name !== names.temporary(names.store) && !name.startsWith('snapshot-');
    await files.rm(inDirectory(directory, name), {recursive, force: true});
  }
  const leftovers = [
    ...numbersOf('snapshot', listing).filter(before).map(names.snapshot),
    ...numbersOf('journal', listing).filter(before).map(names.journal),
  ];
  for (const name of leftovers) await files.rm(inDirectory(directory, name), {force: true});
}
