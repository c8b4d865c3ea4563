// Builds the command line twice from src/. Into build/: each module by itself, from which the manifest
// is made, and which the tests compare with what ships. Into dist/: the bundle, which is what ships.
import {spawnSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {buildBundle, buildLibrary} from './build/bundle.js';
import {writeLicences} from './build/licences.js';
import {readJson, root} from './build/root.js';
import {copyTypes} from './build/types.js';

/** Runs one of the project's tools; its output is shown only when it fails. */
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
 * The commands come in the order in which the file system lists them: sorted, so that the same source
 * makes the same manifest everywhere.
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
writeLicences(metafiles, join(dist, 'THIRD-PARTY-LICENSES.txt'));
