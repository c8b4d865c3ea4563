import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {readJson} from '../build/root.js';

/** What the artifacts of a release are made of. */
export interface Release {
  /** A semantic version. */
  readonly version: string;
  /** The address of the repository. */
  readonly url: string;
  readonly homepage: string;
  readonly description: string;
  readonly license: string;
  readonly author: string;
  /** The time of the commit, which is that of all files: seconds since 1970. */
  readonly epoch: number;
  /** The effort of xz: 9 with `e`, or 0 in a test. */
  readonly effort: '9e' | '0';
}

/** The fields of package.json that name the repository. */
interface Addresses {
  readonly repository?: {readonly url: string};
  readonly homepage?: string;
  readonly bugs?: {readonly url: string};
}

/**
 * The address of the repository, and the one of the project.
 *
 * @throws if package.json lacks one of them, or the address for bugs: npm compares the first with the provenance
 */
export function readRepository(
  {repository, homepage, bugs}: Addresses = readJson<Addresses>('package.json'),
): Pick<Release, 'url' | 'homepage'> {
  const url = /^git\+(https:.*)\.git$/.exec(repository?.url ?? '')?.[1];
  if (url && homepage && bugs) return {url, homepage};
  throw new Error(
    'package.json names no repository, homepage or bugs. Set them once: npm pkg set repository.type=git repository.url=git+https://github.com/OWNER/NAME.git homepage=https://github.com/OWNER/NAME#readme bugs.url=https://github.com/OWNER/NAME/issues',
  );
}

/** Runs a program, and shows its output only if it fails. @throws if it fails */
export function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  execFileSync(program, words, {env: {...process.env, ...env}, stdio: ['ignore', 'pipe', 'pipe']});
}

/** The SHA-256 of a file as 64 hexadecimal digits. */
export function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * The version in the order of deb and rpm, where a tilde comes before everything else: 1.0.0-rc.1 is older than
 * 1.0.0.
 */
export const packagedVersion = (version: string) => version.replace('-', '~');
