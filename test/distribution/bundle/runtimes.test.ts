import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {expect} from 'chai';
import {supportedNodes} from '../../../scripts/build/nodes.js';
import {readJson} from '../../../scripts/build/root.js';
import {root} from '../../support/sources.js';

/** Runs the command line in a process that pretends to be another runtime. */
function runOn(versions: Readonly<Record<string, string>>) {
  const disguise = `Object.defineProperty(process, 'versions', {value: ${JSON.stringify(versions)}})`;
  const preload = `data:text/javascript,${encodeURIComponent(disguise)}`;
  return spawnSync(process.execPath, ['--import', preload, join(root, 'bin/run.js'), '--version'], {
    encoding: 'utf8',
  });
}

describe('the command line', () => {
  for (const [name, versions] of Object.entries({
    'Bun 1.4.5': {node: '26.3.0', bun: '1.4.5'},
    'Node.js 20.18.3': {node: '20.18.3'},
  })) {
    it(`refuses to run on ${name}, and its error says what to install`, () => {
      const {status, stdout, stderr} = runOn(versions);
      expect({status, stdout}).to.deep.equal({status: 2, stdout: ''});
      expect(stderr).to.equal(
        `Error: connectorctl does not run on ${name}.\n` +
          '  Install Node.js 20.19 or newer (https://nodejs.org), and run connectorctl with it.\n',
      );
    });
  }

  it('runs on the oldest Node.js that package.json allows, and on newer versions', () => {
    const {engines} = readJson<{engines: {node: string}}>('package.json');
    expect(engines.node).to.equal(`>=${supportedNodes[0]}`);
    for (const node of ['20.19.0', '22.0.0', '26.3.0']) {
      expect(runOn({node, v8: process.versions.v8})).to.include({status: 0, stderr: ''});
    }
  });
});
