import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {NoOperationTraceWriter, parseWorkflow} from '@actions/workflow-parser';
import {expect} from 'chai';
import {root} from '../support/sources.js';

const directory = join(root, '.github', 'workflows');
const problems = (name: string, content: string) =>
  parseWorkflow({name, content}, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({message}) => message);

describe('the workflows', () => {
  const names = readdirSync(directory);

  it('are read by those who run them', () => {
    expect(names).to.include.members(['ci.yml', 'release.yml']);
    for (const name of names) {
      expect(problems(name, readFileSync(join(directory, name), 'utf8')), name).to.deep.equal([]);
    }
  });

  it('would not be with a key that means nothing', () => {
    const ci = readFileSync(join(directory, 'ci.yml'), 'utf8');
    expect(problems('ci.yml', ci.replace('runs-on:', 'run-on:'))).not.to.deep.equal([]);
  });
});
