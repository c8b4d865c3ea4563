import type {open} from 'node:fs/promises';

/**
 * Makes the creation, renaming and removal of files in a directory durable.
 *
 * @param files the file calls to use
 */
export async function syncDirectory(
  files: {readonly open: typeof open},
  directory: string,
): Promise<void> {
  const handle = await files.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
