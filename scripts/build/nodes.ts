import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from './root.js';

/** A Node of its own, beside the one that runs. */
export interface Node {
  /** The program. */
  readonly path: string;
  /** Without the leading v. */
  readonly version: string;
  /** The file with its licence, and of the licences of what is in it. */
  readonly licence: string;
}

/**
 * The newest Node of a major version, for this platform. It comes from the package of the npm registry
 * that the package `node` installs, once: remove `.cache` to have a newer one.
 *
 * @throws when it cannot be installed
 */
export function installNode(major: number): Node {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  // As the package `node` chooses.
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${process.arch}`;
  const home = join(root, '.cache', `node-${major}`);
  const directory = join(home, 'node_modules', name);
  const path = join(directory, 'bin', platform === 'win' ? 'node.exe' : 'node');
  if (!existsSync(path)) {
    mkdirSync(home, {recursive: true});
    const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', home];
    const {status} = spawnSync('npm', ['install', ...flags, `${name}@${major}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: platform === 'win',
    });
    if (status !== 0) throw new Error(`${name}@${major} could not be installed`);
  }
  const {version} = readJson<{version: string}>(
    '.cache',
    `node-${major}`,
    'node_modules',
    name,
    'package.json',
  );
  return {path, version, licence: join(directory, 'LICENSE')};
}
