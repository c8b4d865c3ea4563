// Makes the artifacts of a release from what the other jobs of the workflow built, in RELEASE/:
//
//   tsx scripts/release/package.ts BUILT RELEASE [--trial]
//
// BUILT has a directory connectorctl-PLATFORM with the files beside each executable, and the npm package. --trial
// compresses little, and needs neither a repository nor an entry with a date in the changelog.
import {copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {readSource} from '../build/commit.js';
import {readJson, root} from '../build/root.js';
import {makeArchive} from './archive.js';
import {makeDeb} from './deb.js';
import {notesOf} from './notes.js';
import {platforms} from './platforms.js';
import {makeRpm} from './rpm.js';
import {digestOf, type Release, readRepository} from './tools.js';

type Package = Pick<Release, 'version' | 'description' | 'license' | 'author'>;

/** Stands for the repository in a trial: no computer has this name (RFC 2606). */
const nowhere = {
  url: 'https://repository.invalid/owner/name',
  homepage: 'https://repository.invalid/owner/name#readme',
};

/** install.sh as it belongs to a release: with its repository and version filled in. */
function stampedInstaller({url, version}: Release): string {
  const text = readFileSync(join(root, 'install.sh'), 'utf8');
  return text
    .replace(/^repository=$/m, `repository=${url}`)
    .replace(/^version=$/m, `version=${version}`);
}

function main([built = '', to = '', trial]: readonly string[]): void {
  const isTrial = trial === '--trial';
  const {version, description, license, author} = readJson<Package>('package.json');
  const {url, homepage} = isTrial ? nowhere : readRepository();
  const {date} = readSource(root, process.env);
  if (date === null && !isTrial)
    throw new Error('Files were changed since the commit of the release.');
  const epoch = Math.floor(Date.parse(date ?? '2000-01-01T00:00:00Z') / 1000);
  const release: Release = {
    ...{version, url, homepage, description, license, author, epoch},
    effort: isTrial ? '0' : '9e',
  };
  mkdirSync(to, {recursive: true});
  const write = (name: string, text: string) => writeFileSync(join(to, name), text);
  for (const platform of platforms) {
    const from = join(built, `connectorctl-${platform.name}`);
    makeArchive(from, platform, release, to);
    if (platform.linux === undefined) continue;
    makeDeb(from, platform.linux.deb, release, to);
    makeRpm(from, platform.linux.rpm, release, to);
  }
  const npm = `connectorctl-${version}.tgz`;
  copyFileSync(join(built, npm), join(to, npm));
  copyFileSync(join(built, 'connectorctl-linux-x64', 'sbom.cdx.json'), join(to, 'sbom.cdx.json'));
  write('install.sh', stampedInstaller(release));
  const sums = readdirSync(to)
    .sort()
    .map((name) => `${digestOf(join(to, name))}  ${basename(name)}\n`);
  write('SHA256SUMS', sums.join(''));
  // No artifact: the text of the release's page.
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!isTrial) writeFileSync(`${to}.md`, notesOf(changelog, version));
}

main(process.argv.slice(2));
