import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {sectionOf} from '../../src/conformance/model.js';
import type {Session} from '../../src/conformance/session.js';
import {checks} from '../../src/conformance/suite.js';
import {root} from '../support/sources.js';

describe('the checks of conformance', () => {
  it('are of sections of docs/interface.md, and cite such sections', () => {
    const page = readFileSync(join(root, 'docs', 'interface.md'), 'utf8');
    const numbers = [...page.matchAll(/^#{2,3} (\d[\d.]*\d|\d)/gm)].map(([, number]) => number);
    expect(numbers).to.include.members(['2', '4.1', '4.5', '9']);
    for (const check of checks) {
      const section = sectionOf(check.id);
      if (section !== 'http') expect(numbers, check.id).to.include(section);
      if (!check.source.startsWith('interface')) continue;
      const cited = check.source.split(': ')[0]?.match(/(?<=§)[\d.]*\d/g) ?? [];
      expect(cited, check.id).not.to.be.empty;
      expect(numbers, check.id).to.include.members(cited);
    }
  });

  for (const [base, status] of [
    ['https://service.example', 'pass'],
    ['http://127.0.0.1:4480', 'pass'],
    ['http://service.example', 'fail'],
  ] as const) {
    it(`have a ${status} for the encryption of ${base}`, async () => {
      const check = checks.find(({id}) => id === '5/tls');
      const outcome = await check?.run({base: new URL(base)} as Session);
      expect(outcome).to.include({status});
    });
  }
});
