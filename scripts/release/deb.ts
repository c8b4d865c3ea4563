import {mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {packagedVersion, type Release, run} from './tools.js';
import {plant} from './tree.js';

/**
 * The packages with the libraries that the Node.js in the executable links to, and the newest version of the symbols
 * that each of them has. A test compares them with the executable.
 */
export const packagesOfLibraries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'libc6 (>= 2.28)': {GLIBC: '2.28'},
  'libstdc++6 (>= 5.2)': {GLIBCXX: '3.4.21', CXXABI: '1.3.11'},
  'libgcc-s1 | libgcc1': {GCC: '4.2.0'},
  libatomic1: {LIBATOMIC: '1.0'},
};

/** A name and an address, of which a package needs one: that of the repository's owner. */
function maintainerOf({author, url}: Release): string {
  const {host, pathname} = new URL(url);
  return `${author} <${pathname.split('/')[1]}@users.noreply.${host}>`;
}

/** The changelog in the form of Debian, which says where that of the project is. */
function changelogOf(release: Release): string {
  const {version, url, epoch} = release;
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `connectorctl (${packagedVersion(version)}) stable; urgency=medium

  * See ${url}/releases/tag/v${version}

 -- ${maintainerOf(release)}  ${date}
`;
}

/** Makes a package of Debian and its relatives, without scripts of its maintainer. */
export function makeDeb(from: string, architecture: string, release: Release, to: string): void {
  const {version, homepage, description, epoch, effort} = release;
  const staged = mkdtempSync(join(tmpdir(), 'connectorctl-deb-'));
  try {
    const license = 'usr/share/doc/connectorctl/copyright';
    plant(from, staged, release, {
      zsh: 'usr/share/zsh/vendor-completions',
      license,
      changelog: changelogOf(release),
    });
    const sizes = readdirSync(staged, {recursive: true, encoding: 'utf8'}).map(
      (name) => statSync(join(staged, name)).size,
    );
    const fields = {
      Package: 'connectorctl',
      Version: packagedVersion(version),
      Architecture: architecture,
      Maintainer: maintainerOf(release),
      'Installed-Size': Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024),
      Depends: Object.keys(packagesOfLibraries).join(', '),
      Section: 'utils',
      Priority: 'optional',
      Homepage: homepage,
      Description: `${description}\n It activates, lists and watches connectors, sends their heartbeats, and has\n a reference implementation of their service. It contains Node.js.`,
    };
    mkdirSync(join(staged, 'DEBIAN'));
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    writeFileSync(join(staged, 'DEBIAN', 'control'), lines.join(''));
    run('chmod', ['-R', 'u=rwX,go=rX', staged]);
    const file = join(to, `connectorctl_${packagedVersion(version)}_${architecture}.deb`);
    const compression = ['-Zxz', ...(effort === '9e' ? ['-z9', '-Sextreme'] : ['-z0'])];
    const words = ['--root-owner-group', '--uniform-compression', ...compression, '--build'];
    run('dpkg-deb', [...words, staged, file], {SOURCE_DATE_EPOCH: `${epoch}`});
  } finally {
    rmSync(staged, {recursive: true, force: true});
  }
}
