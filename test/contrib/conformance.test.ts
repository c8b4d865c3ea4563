import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {NoOperationTraceWriter, parseWorkflow} from '@actions/workflow-parser';
import {expect} from 'chai';
import Conformance from '../../src/commands/conformance.js';
import {root} from '../support/sources.js';

describe('the example of contrib/conformance', () => {
  const content = readFileSync(join(root, 'contrib', 'conformance', 'github-actions.yml'), 'utf8');

  it('the GitHub workflow of contrib/conformance is valid', () => {
    const {context} = parseWorkflow({name: 'c.yml', content}, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(({message}) => message)).to.deep.equal([]);
  });

  it('the GitHub workflow of contrib/conformance uses flags that conformance has', () => {
    const [, run = ''] = content.split('run: |');
    const flags = [...run.matchAll(/ --([a-z-]+)/g)].map(([, name]) => name);
    expect(Object.keys(Conformance.flags)).to.include.members(flags);
  });
});
