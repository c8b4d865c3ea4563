import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import path from 'node:path';
import {root} from '../../scripts/build/root.js';

function npm(...words: readonly string[]): void {
  const {status} = spawnSync(
    'npm',
    [...words, '--silent', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`npm ${words.join(' ')} failed`);
}

/** Packs the package and installs it as its users do. Returns the installed command. */
export function installPackage(folder: string): string {
  npm('pack', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const prefix = path.join(folder, 'prefix');
  npm('install', '--global', '--offline', '--prefix', prefix, path.join(folder, tarball));
  return path.join(prefix, 'bin', 'connectorctl');
}
