import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {root} from './root.js';

/** The supported versions of Node, the oldest first. */
export const supportedNodes = ['20.19', '22', '24', '26'] as const;

/** An installation of Node other than the running one. */
export interface Node {
  /** The program. */
  readonly path: string;
  /** Without the leading v. */
  readonly version: string;
  /** The file with its license and those of its dependencies. */
  readonly license: string;
}

/**
 * The newest Node of a version for this platform, from the npm package that the package `node` installs. It is
 * downloaded once: remove `.cache` to get a newer one.
 *
 * @param wanted a major version, or a major and a minor one such as 20.19
 * @throws if it cannot be installed
 */
export function installNode(wanted: number | string): Node {
  const {platform} = process;
  // The same choice as in the package `node`.
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform}-${process.arch}`;
  const home = join(root, '.cache', `node-${wanted}`);
  const directory = join(home, 'node_modules', name);
  const path = join(directory, 'bin', 'node');
  if (!existsSync(path)) {
    mkdirSync(home, {recursive: true});
    const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', home];
    const {status} = spawnSync('npm', ['install', ...flags, `${name}@${wanted}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`${name}@${wanted} could not be installed`);
  }
  const version = execFileSync(path, ['-p', 'process.versions.node'], {encoding: 'utf8'}).trim();
  return {path, version, license: join(directory, 'LICENSE')};
}
