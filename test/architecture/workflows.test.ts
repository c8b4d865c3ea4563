import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {NoOperationTraceWriter, parseWorkflow} from '@actions/workflow-parser';
import {expect} from 'chai';
import {parse} from 'yaml';
import {supportedNodes} from '../../scripts/build/nodes.js';
import {root} from '../support/sources.js';

const directory = join(root, '.github', 'workflows');
const read = (name: string) => readFileSync(join(directory, name), 'utf8');
const problems = (name: string, content: string) =>
  parseWorkflow({name, content}, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({message}) => message);

describe('the GitHub workflows', () => {
  for (const name of readdirSync(directory)) {
    it(`${name} is valid`, () => {
      expect(problems(name, read(name))).to.deep.equal([]);
    });

    it(`${name} runs only npm scripts that exist`, () => {
      const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const used = [...read(name).matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);
      expect(Object.keys(scripts)).to.include.members(used);
    });
  }

  it('pin every action by its digest, with the version beside it', () => {
    const actions = readdirSync(directory).flatMap((name) => read(name).match(/uses: .*/g) ?? []);
    expect(actions).to.have.length.above(5);
    for (const action of actions) expect(action).to.match(/@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('the validation finds a wrong key', () => {
    expect(problems('ci.yml', read('ci.yml').replace('runs-on:', 'run-on:'))).not.to.deep.equal([]);
  });

  it('ci.yml tests on Linux with each supported version of Node.js, and on macOS', () => {
    const {jobs} = parse(read('ci.yml'));
    const [oldest, ...newer] = supportedNodes;
    expect(jobs.gate['runs-on']).to.equal('ubuntu-latest');
    expect(jobs.gate.steps[1].with['node-version']).to.equal(oldest);
    expect(jobs.newer['runs-on']).to.equal('ubuntu-latest');
    expect(jobs.newer.strategy.matrix.node).to.deep.equal(newer);
    expect(jobs.macos['runs-on']).to.equal('macos-latest');
  });
});
