import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {platforms} from '../../../scripts/release/platforms.js';
import {standIn} from '../../support/build/release.js';
import {isInstalled, notice} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {suiteDirectory} from '../../support/temporary-directory.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tsx = join(root, 'node_modules', '.bin', 'tsx');

/** Runs a program; its output. @throws if it fails */
const output = (program: string, ...words: readonly string[]) =>
  execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

const canPackage =
  process.platform === 'linux' && isInstalled('dpkg-deb') && isInstalled('rpmbuild');
const isRoot = process.geteuid?.() === 0;
if (canPackage && !isRoot) notice('Not root: the deb and the rpm are unpacked, but not installed.');

(canPackage ? describe : describe.skip)('the artifacts of a release', () => {
  let files: readonly string[];
  const at = suiteDirectory();
  const release = (...path: readonly string[]) => at('release', ...path);
  const file = (pattern: RegExp) => release(files.find((name) => pattern.test(name)) ?? '');

  /** What the other jobs of the workflow built. */
  function built(name: string): string {
    for (const platform of platforms) standIn(at(name, `connectorctl-${platform.name}`), version);
    writeFileSync(at(name, `connectorctl-${version}.tgz`), 'npm');
    return at(name);
  }

  const make = (from: string, to: string) =>
    output(tsx, join(root, 'scripts', 'release', 'package.ts'), from, to, '--trial');

  before(() => {
    make(built('built'), release());
    files = readdirSync(release()).sort();
  });

  it('are an archive per platform, packages, an installer and a bill of materials', () => {
    const names = [
      'SHA256SUMS',
      ...['x86_64', 'aarch64'].map((cpu) => `connectorctl-${version}-1.${cpu}.rpm`),
      ...platforms.map(({name}) => `connectorctl-${version}-${name}.tar.xz`),
      ...['amd64', 'arm64'].map((cpu) => `connectorctl_${version}_${cpu}.deb`),
      ...[`connectorctl-${version}.tgz`, 'install.sh', 'sbom.cdx.json'],
    ];
    expect(files).to.deep.equal(names.sort());
  });

  it('are all in SHA256SUMS, which sha256sum accepts', () => {
    const lines = output('sh', '-c', `cd '${release()}' && sha256sum --check --strict SHA256SUMS`);
    const checked = lines
      .trim()
      .split('\n')
      .map((line) => line.replace(/: OK$/, ''));
    expect(checked).to.deep.equal(files.filter((name) => name !== 'SHA256SUMS'));
  });

  it('are the same bytes from the same files, whenever they are made', () => {
    const again = built('again');
    for (const name of readdirSync(again, {recursive: true, encoding: 'utf8'}))
      utimesSync(join(again, name), 1e9, 1e9);
    make(again, at('repeated'));
    expect(readFileSync(at('repeated', 'SHA256SUMS'), 'utf8')).to.equal(
      readFileSync(release('SHA256SUMS'), 'utf8'),
    );
  });

  /** Where both packages put the executable and the files that make it usable. */
  const installed = [
    'usr/bin/connectorctl',
    'usr/lib/systemd/system/connectorctl-serve.service',
    'usr/lib/sysusers.d/connectorctl.conf',
    'usr/share/bash-completion/completions/connectorctl',
    'usr/share/doc/connectorctl/sbom.cdx.json',
    'usr/share/fish/vendor_completions.d/connectorctl.fish',
    'usr/share/man/man1/connectorctl.1.gz',
  ];
  const regular = (directory: string) =>
    readdirSync(directory, {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('/var/'))
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));

  it('have a deb that unpacks, with the fields that apt needs', () => {
    const deb = file(/_amd64\.deb$/);
    output('dpkg-deb', '--extract', deb, at('deb'));
    expect(regular(at('deb'))).to.include.members(installed);
    expect(output(at('deb', 'usr/bin/connectorctl'), 'x')).to.equal(`connectorctl/${version} x\n`);
    const fields = output('dpkg-deb', '--field', deb);
    expect(fields)
      .to.match(/^Package: connectorctl$/m)
      .and.to.match(/^Architecture: amd64$/m);
    expect(fields)
      .to.match(/^Depends: libc6 /m)
      .and.to.match(/^Installed-Size: \d+$/m);
    expect(output('dpkg-deb', '--field', file(/_arm64\.deb$/), 'Architecture')).to.equal('arm64\n');
  });

  if (isInstalled('lintian')) {
    it('have a deb without errors for lintian', () => {
      // Root is not what lintian expects; a container has nobody else.
      output('lintian', '--allow-root', '--fail-on', 'error', file(/_amd64\.deb$/));
    });
  }

  it('have an rpm with the same files, without scriptlets', () => {
    const rpm = file(/\.x86_64\.rpm$/);
    const listed = output('rpm', '-qlp', rpm)
      .trim()
      .split('\n')
      .map((name) => name.slice(1));
    expect(listed).to.include.members(installed);
    expect(output('rpm', '-qp', '--scripts', rpm)).to.equal('');
    expect(
      output('rpm', '-qp', '--queryformat', '%{ARCH} %{VERSION}', file(/aarch64\.rpm$/)),
    ).to.equal(`aarch64 ${version}`);
    output('rpm', '--checksig', '--nosignature', rpm);
  });

  if (isRoot) {
    it('have packages that install, and leave nothing after they are removed', () => {
      const system = at('system');
      for (const name of ['deb', 'rpm']) mkdirSync(join(system, name), {recursive: true});
      const dpkg = ['--root', join(system, 'deb'), '--force-depends', '--force-bad-path'];
      output(
        'sh',
        '-c',
        `cd '${join(system, 'deb')}' && mkdir -p var/lib/dpkg/updates var/lib/dpkg/info && touch var/lib/dpkg/status var/lib/dpkg/available`,
      );
      const rpm = ['--root', join(system, 'rpm'), '--dbpath', '/var/lib/rpm', '--nodeps'];
      output('dpkg', ...dpkg, '--install', file(/_amd64\.deb$/));
      output('rpm', ...rpm, '--ignorearch', '--install', file(/x86_64\.rpm$/));
      for (const name of ['deb', 'rpm'])
        expect(regular(join(system, name)), name).to.include.members(installed);
      output('dpkg', ...dpkg, '--purge', 'connectorctl');
      output('rpm', ...rpm, '--erase', 'connectorctl');
      for (const name of ['deb', 'rpm'])
        expect(regular(join(system, name)), name).to.deep.equal([]);
    });
  }
});
