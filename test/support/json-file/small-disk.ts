import {spawnSync} from 'node:child_process';
import {mkdir, rm, writeFile} from 'node:fs/promises';
import {type Files, nodeFiles} from '../../../src/system/files.js';
import {systemError, watchedFiles} from './watched-files.js';

/** A disk that can be filled and emptied again. */
export interface SmallDisk {
  readonly files: Files;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** Mounts a small file system on a directory; undefined if mounting is not allowed. */
export async function mountSmallDisk(directory: string): Promise<SmallDisk | undefined> {
  await mkdir(directory, {recursive: true});
  const options = ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', directory];
  if (spawnSync('mount', options).status !== 0) return undefined;
  const filler = `${directory}/room.tmp.filler`;
  return {
    files: nodeFiles,
    fill: async () => {
      await writeFile(filler, Buffer.alloc(4 * 1024 * 1024)).catch(() => {});
    },
    empty: () => rm(filler),
    remove: async () => {
      spawnSync('umount', ['-l', directory]);
    },
  };
}

/** Simulates a small disk with file calls that fail as on a full disk: a write stops after half of its bytes. */
export function simulateSmallDisk(): SmallDisk {
  let full = false;
  const files = watchedFiles(async ({name, args, handle}) => {
    if (!full) return;
    if (name === 'handle.write') {
      const [bytes, offset, length, position] = args as [Buffer, number, number, number];
      await handle?.write(bytes, offset, Math.floor(length / 2), position);
      throw systemError('ENOSPC');
    }
    const creates = name === 'open' && args[1] !== 'r';
    if (creates || name === 'handle.writeFile') throw systemError('ENOSPC');
  });
  return {
    files,
    fill: async () => {
      full = true;
    },
    empty: async () => {
      full = false;
    },
    remove: async () => {},
  };
}
