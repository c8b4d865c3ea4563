import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {manual} from '../../scripts/build/man.js';
import {isInstalled} from '../support/notice.js';
import {root} from '../support/sources.js';

const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));
const program = {version: '1.2.3', description: 'Do things'};
type Command = Parameters<typeof manual>[0][number];
const all: readonly Command[] = Object.values(commands);

describe('the manual page', () => {
  if (isInstalled('groff')) {
    it('has no mistake that groff reports', () => {
      const input = manual(all, program);
      const {status, stderr} = spawnSync('groff', ['-man', '-ww', '-z'], {
        input,
        encoding: 'utf8',
      });
      expect({status, stderr}).to.deep.equal({status: 0, stderr: ''});
    });
  }
});
