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
export function installPackage(directory: string): string {
  npm('pack', '--pack-destination', directory);
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '';
  const prefix = path.join(directory, 'prefix');
  npm('install', '--global', '--offline', '--prefix', prefix, path.join(directory, tarball));
  return path.join(prefix, 'bin', 'connectorctl');
}
