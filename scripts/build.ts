// Builds the command line twice from src/. build/ gets the single modules, from which the manifest is
// generated and that the tests compare the bundle with. dist/ gets the bundle, which is published.
import {spawnSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {buildBundle, buildLibrary} from './build/bundle.js';
import {writeLicenses} from './build/licenses.js';
import {writeManual} from './build/man.js';
import {readJson, root} from './build/root.js';
import {writeSbom} from './build/sbom.js';
import {copyTypes} from './build/types.js';

/** Runs one of the project's tools, and shows its output only if it fails. */
function run(tool: string, ...args: readonly string[]): void {
  const {status, stdout, stderr} = spawnSync(
    process.execPath,
    [join(root, 'node_modules', tool), ...args],
    {cwd: root, encoding: 'utf8'},
  );
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}build: ${tool} failed\n`);
  process.exit(1);
}

/**
 * Sorts the commands, which are in the order of the file system, so that the manifest is the same on every
 * machine.
 */
function sortManifest(): void {
  const {commands, ...rest} = readJson<{commands: Record<string, unknown>}>('oclif.manifest.json');
  const sorted = Object.fromEntries(Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify({commands: sorted, ...rest}, null, 2);
  writeFileSync(join(root, 'oclif.manifest.json'), `${text}\n`);
}

for (const directory of ['build', 'dist'])
  rmSync(join(root, directory), {recursive: true, force: true});
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
run('oclif/bin/run.js', 'manifest');
sortManifest();
const dist = join(root, 'dist');
const metafiles = [...(await buildBundle(dist)), await buildLibrary(dist)];
copyTypes(dist);
writeLicenses(metafiles, join(dist, 'THIRD-PARTY-LICENSES.txt'));
writeManual(join(dist, 'connectorctl.1'));
writeSbom(metafiles, join(dist, 'sbom.cdx.json'));
