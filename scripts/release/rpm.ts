import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {packagedVersion, type Release, run} from './tools.js';
import {plant} from './tree.js';

/** Nothing is stripped or compressed once more: the executable would be damaged. */
const definitions = [
  'debug_package %{nil}',
  '__os_install_post %{nil}',
  '_build_id_links none',
  '_buildhost localhost',
  'source_date_epoch_from_changelog 0',
  'use_source_date_epoch_as_buildtime 1',
  'clamp_mtime_to_source_date_epoch 1',
];

function specOf(release: Release, tree: string, files: readonly string[]): string {
  const {version, homepage, description, license} = release;
  const [summary] = description.split('\n');
  return `Name: connectorctl
Version: ${packagedVersion(version)}
Release: 1
Summary: ${summary}
License: ${license}
URL: ${homepage}
%description
${description}.
%install
cp -a ${tree}/. %{buildroot}/
%files
${files.map((file) => `%attr(-,root,root) "/${file}"`).join('\n')}
`;
}

/**
 * Makes a package of Fedora, SUSE and their relatives, without scriptlets. rpmbuild reads from the executable what it
 * links to.
 */
export function makeRpm(from: string, architecture: string, release: Release, to: string): void {
  const work = mkdtempSync(join(tmpdir(), 'connectorctl-rpm-'));
  try {
    const tree = join(work, 'tree');
    mkdirSync(tree);
    const license = 'usr/share/licenses/connectorctl/LICENSE';
    plant(from, tree, release, {zsh: 'usr/share/zsh/site-functions', license});
    const files = readdirSync(tree, {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1));
    writeFileSync(join(work, 'connectorctl.spec'), specOf(release, tree, files.sort()));
    const payload = `_binary_payload w${release.effort[0]}.xzdio`;
    const defined = [...definitions, payload, `_topdir ${work}/build`, `_rpmdir ${work}`];
    const words = defined.flatMap((each) => ['--define', each]);
    run(
      'rpmbuild',
      ['-bb', '--target', `${architecture}-linux`, ...words, join(work, 'connectorctl.spec')],
      {SOURCE_DATE_EPOCH: `${release.epoch}`},
    );
    const name = `connectorctl-${packagedVersion(release.version)}-1.${architecture}.rpm`;
    copyFileSync(join(work, architecture, name), join(to, name));
  } finally {
    rmSync(work, {recursive: true, force: true});
  }
}
