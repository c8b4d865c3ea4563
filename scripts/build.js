// Builds dist/ from src/, then the command manifest that oclif reads instead of every command module.
import {spawnSync} from 'node:child_process';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Runs one of the project's tools; its output is shown only when it fails. */
function run(tool, ...args) {
  const {status, stdout, stderr} = spawnSync(
    process.execPath,
    [join(root, 'node_modules', ...tool.split('/')), ...args],
    {cwd: root, encoding: 'utf8'},
  );
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}build: ${tool} failed\n`);
  process.exit(1);
}

rmSync(join(root, 'dist'), {recursive: true, force: true});
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
run('oclif/bin/run.js', 'manifest');

// The commands come in the order in which the file system lists them: sorted, so that the same source
// makes the same manifest everywhere.
const manifestPath = join(root, 'oclif.manifest.json');
const {commands, ...rest} = JSON.parse(readFileSync(manifestPath, 'utf8'));
const sorted = Object.fromEntries(Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(manifestPath, `${JSON.stringify({commands: sorted, ...rest}, null, 2)}\n`);
