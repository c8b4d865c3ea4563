import {chmodSync, cpSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {archiveOf, type Platform} from './platforms.js';
import {type Release, run} from './tools.js';

/**
 * Makes the archive of a platform from the files beside its executable: the same bytes from the same files,
 * whoever makes it and when. An artifact of GitHub has lost the permissions.
 *
 * @returns the path of the archive
 */
export function makeArchive(
  from: string,
  platform: Platform,
  release: Release,
  to: string,
): string {
  const name = archiveOf(release.version, platform);
  const staged = join(to, name);
  cpSync(from, staged, {recursive: true});
  run('chmod', ['-R', 'u=rwX,go=rX', staged]);
  chmodSync(join(staged, 'connectorctl'), 0o755);
  const tar = `${staged}.tar`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  const order = ['--sort=name', `--mtime=@${release.epoch}`];
  run('tar', ['--create', ...owner, ...order, '--directory', dirname(staged), '--file', tar, name]);
  rmSync(staged, {recursive: true});
  run('xz', ['--force', '--threads=1', `-${release.effort}`, tar]);
  return `${tar}.xz`;
}
