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

/** The text of a page without the escapes of roff. */
const plain = (page: string) => page.replaceAll('\\-', '-').replaceAll('\\(dq', '"');

describe('the manual page', () => {
  it('names every command and every flag that is not hidden, and no hidden command', () => {
    const page = plain(manual(all, program));
    for (const {id, hidden, flags} of all) {
      const heading = `.SS "connectorctl ${id.replaceAll(':', ' ')}`;
      expect(page.includes(`${heading}"`) || page.includes(`${heading} `), id).to.equal(!hidden);
      if (hidden) continue;
      for (const {name} of Object.values(flags)) expect(page).to.include(`--${name}`);
    }
    expect(page).to.match(/^\.B "9"\nunmet: /m);
    expect(page).not.to.include('<%');
  });

  it('escapes texts that roff would read as requests or escapes', () => {
    const command = {
      id: 'a:b',
      args: {},
      flags: {},
      summary: 'Do',
      description: ".x \\n 'y'\n'z é",
    };
    expect(manual([command], program)).to.include("\n\\&.x \\en 'y'\n\\&'z \\[u00E9]\n");
  });

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
