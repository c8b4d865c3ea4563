// Runs mocha once per pattern, each in a process of its own, and ends with the totals of all runs in one
// line. Exits with 1 when a run fails.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const directory = mkdtempSync(join(tmpdir(), 'connectorctl-test-'));
const file = join(directory, 'totals.json');
let [passed, failed] = [0, 0];
for (const pattern of process.argv.slice(2)) {
  rmSync(file, {force: true});
  const {status} = spawnSync(process.execPath, [mocha, pattern], {
    env: {...process.env, TEST_TOTALS: file},
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  // A run that crashes leaves no totals: it counts as one failure.
  const totals = existsSync(file) ? readFileSync(file, 'utf8') : '{"passes": 0, "failures": 1}';
  const {passes, failures} = JSON.parse(totals);
  passed += passes;
  failed += failures;
}
rmSync(directory, {recursive: true});
console.log(`${passed} passed, ${failed} failed`);
