import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {NoOperationTraceWriter, parseWorkflow} from '@actions/workflow-parser';
import {expect} from 'chai';
import {parse} from 'yaml';
import {supportedNodes} from '../../scripts/build/nodes.js';
import {root} from '../support/sources.js';

const directory = '.github/workflows';
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const own = readdirSync(join(root, directory)).map((name) => `${directory}/${name}`);
const examples = ['check', 'conformance', 'monitor'].map(
  (name) => `contrib/${name}/github-actions.yml`,
);

describe('the GitHub workflows', () => {
  for (const name of [...own, ...examples]) {
    it(`${name} is valid`, () => {
      const {context} = parseWorkflow({name, content: read(name)}, new NoOperationTraceWriter());
      expect(context.errors.getErrors().map(({message}) => message)).to.deep.equal([]);
    });

    it(`${name} runs only npm scripts that exist`, () => {
      const {scripts} = JSON.parse(read('package.json'));
      const used = [...read(name).matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);
      expect(Object.keys(scripts)).to.include.members(used);
    });
  }

  it('pin every action by its digest, with the version beside it', () => {
    const actions = own.flatMap((name) => read(name).match(/uses: .*/g) ?? []);
    expect(actions).to.have.length.above(5);
    for (const action of actions) expect(action).to.match(/@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('ci.yml tests on Linux with each supported version of Node.js, and on macOS', () => {
    const {jobs} = parse(read(`${directory}/ci.yml`));
    const [oldest, ...newer] = supportedNodes;
    expect(jobs.gate['runs-on']).to.equal('ubuntu-latest');
    expect(jobs.gate.steps[1].with['node-version']).to.equal(oldest);
    expect(jobs.newer['runs-on']).to.equal('ubuntu-latest');
    expect(jobs.newer.strategy.matrix.node).to.deep.equal(newer);
    expect(jobs.macos['runs-on']).to.equal('macos-latest');
  });
});
