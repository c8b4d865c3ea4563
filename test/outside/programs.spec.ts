import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root} from '../support/sources.js';
import {type Program, programs} from './programs.js';

describe('the table of outside programs', () => {
  const all = Object.entries<Program>(programs);
  const {dependencies} = JSON.parse(
    readFileSync(join(root, 'test', 'outside', 'package.json'), 'utf8'),
  );

  it('names each package of npm that the lock file pins, and no other', () => {
    const named = all.flatMap(([, {npm = []}]) => npm);
    expect([...new Set(named)].sort()).to.deep.equal(Object.keys(dependencies).sort());
  });

  it('expects the exact version that is installed from npm', () => {
    for (const [name, {npm, debian, expected}] of all) {
      if (npm !== undefined && debian === undefined) {
        expect(dependencies[npm[0] ?? ''], name).to.equal(expected);
      }
    }
  });

  it('names a page of the documentation for each program', () => {
    for (const [name, {page}] of all) {
      expect(() => readFileSync(join(root, page)), name).not.to.throw();
    }
  });
});
