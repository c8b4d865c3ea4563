// Runs the fast tests on each supported version of Node.js, or on those named as arguments, from the same build:
// `npm run test:versions -- 20.19 26`. A version that cannot be installed is a failure.
import {spawnSync} from 'node:child_process';
import {delimiter, dirname} from 'node:path';
import {installNode, supportedNodes} from './build/nodes.js';
import {root} from './build/root.js';

const [, , ...named] = process.argv;

for (const wanted of named.length > 0 ? named : supportedNodes) {
  try {
    const node = installNode(wanted);
    process.stdout.write(`\nNode.js ${node.version}:\n`);
    // The tests start further programs with the `node` in PATH.
    const path = [dirname(node.path), process.env['PATH']].join(delimiter);
    const {status, error} = spawnSync(node.path, ['--import=tsx', 'scripts/test.ts', 'built'], {
      cwd: root,
      env: {...process.env, PATH: path},
      stdio: 'inherit',
    });
    if (error) throw error;
    if (status !== 0) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`Node.js ${wanted}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
