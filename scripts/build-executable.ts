// Builds one executable, which needs no installed Node, from the bundle in dist/ for the current platform.
import {spawnSync} from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {buildStart, bundleFiles, identify} from './build/bundle.js';
import {executable, executableDirectory, executableNode} from './build/executable.js';
import {installNode} from './build/nodes.js';
import {root} from './build/root.js';
import {extendSbom} from './build/sbom.js';

const dist = join(root, 'dist');
const node = installNode(executableNode);
const work = mkdtempSync(join(tmpdir(), 'connectorctl-executable-'));
try {
  rmSync(executableDirectory, {recursive: true, force: true});
  mkdirSync(executableDirectory);
  const main = join(work, 'executable.cjs');
  // The code cache must be separate from that of the same Node outside the executable: V8 rejects the other's.
  await buildStart('executable.ts', main, `${identify(dist)}-executable`);
  const config = {
    main,
    output: executable,
    disableExperimentalSEAWarning: true,
    // From the first moment, Node's inspector does not open on SIGUSR1; see scripts/bundle/debugger.ts.
    execArgv: ['--disable-sigusr1'],
    assets: Object.fromEntries(bundleFiles.map((file) => [file, join(dist, file)])),
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  const {status} = spawnSync(node.path, ['--build-sea', join(work, 'config.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('Node could not build the executable');
} finally {
  rmSync(work, {recursive: true, force: true});
}
copyFileSync(join(root, 'LICENSE'), join(executableDirectory, 'LICENSE'));
copyFileSync(join(dist, 'connectorctl.1'), join(executableDirectory, 'connectorctl.1'));
const licenses = join(executableDirectory, 'THIRD-PARTY-LICENSES.txt');
copyFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licenses);
const nodeUrl = `pkg:generic/node@${node.version}`;
const nodeComponent = {type: 'platform', name: 'node', version: node.version} as const;
extendSbom(
  'dist/sbom.cdx.json',
  {...nodeComponent, 'bom-ref': nodeUrl, purl: nodeUrl},
  join(executableDirectory, 'sbom.cdx.json'),
);
appendFileSync(licenses, `\n${'-'.repeat(78)}\n\nNode.js\n\n${readFileSync(node.license, 'utf8')}`);
