import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {notice} from '../support/notice.js';
import {root} from '../support/sources.js';
import {type Program, type ProgramName, programs} from './programs.js';

/** Where the packages of npm are installed by their lock file, outside of the project's own. */
export const npmPackages = join(root, '.cache', 'outside', 'node_modules');

/** The directory of an installed package of npm, and of what it installs beside it. */
export const npmPackage = (name: string): string => join(npmPackages, name);

const versionOfDebian = (name: string): string | undefined => {
  const {stdout} = spawnSync('dpkg', ['-s', name], {encoding: 'utf8'});
  const isInstalled = /^Status: install ok installed$/m.test(stdout ?? '');
  return isInstalled ? /^Version: (?:\d+:)?(.*)$/m.exec(stdout)?.[1] : undefined;
};

const versionOfNpm = (name: string): string | undefined => {
  const manifest = join(npmPackage(name), 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
};

/** The packages of a program, each with its version or undefined where it is not installed. */
function packagesOf({debian = [], npm = []}: Program): (readonly [string, string | undefined])[] {
  return [
    ...debian.map((name) => [name, versionOfDebian(name)] as const),
    ...npm.map((name) => [name, versionOfNpm(name)] as const),
  ];
}

/** Whether a program can be run here. A notice says which version runs, or that its tests are left out. */
export function isThere(name: ProgramName): boolean {
  const program: Program = programs[name];
  const packages = packagesOf(program);
  const missing = packages.filter(([, version]) => version === undefined).map(([one]) => one);
  if (missing.length > 0) {
    const source = program.debian ? 'Debian' : 'npm';
    notice(`Left out: ${program.title}. Not installed: ${missing.join(', ')} (${source}).`);
    return false;
  }
  const version = packages[0]?.[1] ?? '';
  const other = version.startsWith(program.expected) ? '' : `, not ${program.expected}`;
  notice(`Run: ${program.title} ${version}${other}`);
  return true;
}

/** A suite of tests that is left out, with a notice, unless all these programs are installed. */
export function describeWith(
  names: readonly ProgramName[],
  title: string,
  suite: (this: Mocha.Suite) => void,
): void {
  if (names.map(isThere).every(Boolean)) describe(title, suite);
}

/** The packages of Debian that the table names and that are missing here, for `.ci/run`. */
export function missingDebianPackages(): string[] {
  const all = Object.values<Program>(programs).flatMap(({debian = []}) => debian);
  return [...new Set(all)].filter((name) => versionOfDebian(name) === undefined);
}
