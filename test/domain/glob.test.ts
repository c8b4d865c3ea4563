import {expect} from 'chai';
import * as fc from 'fast-check';
import {compileGlob} from '../../src/domain/glob.js';

describe('compileGlob', () => {
  const cases: [pattern: string, matching: string[], other: string[]][] = [
    ['build-1', ['build-1'], ['build-11', 'abuild-1', 'Build-1', '']],
    ['build-*', ['build-', 'build-1', 'build-a/b'], ['build', 'x-build-1']],
    ['*', ['', 'anything', '.hidden', 'a/b', 'a\nb'], []],
    ['**', ['', 'a'], []],
    ['*-eu-*', ['a-eu-b', '-eu-', 'a-eu-eu-b'], ['a-eu', 'eu']],
    ['*ab*ab', ['abab', 'ab ab ab', 'xabyab'], ['ab', 'ababa']],
    ['b?', ['b1', 'bé', 'b漢', 'b💻'], ['b', 'b12']],
    ['[ab]1', ['[ab]1'], ['a1', 'b1']],
    ['\\*', ['*'], ['a', '\\*']],
    ['a\\', ['a\\'], ['a']],
    ['{a,b}', ['{a,b}'], ['a']],
    ['!a', ['!a'], ['b']],
    ['', [''], ['a']],
    ['caf\u00e9', ['cafe\u0301', 'caf\u00e9'], ['cafe']],
  ];
  for (const [pattern, matching, others] of cases) {
    it(`${JSON.stringify(pattern)} matches ${matching.length} texts and rejects ${others.length}`, () => {
      const matches = compileGlob(pattern);
      expect(matching.filter((text) => !matches(text))).to.deep.equal([]);
      expect(others.filter((text) => matches(text))).to.deep.equal([]);
    });
  }

  it('agrees with a regular expression on small alphabets', () => {
    const toRegExp = (pattern: string) =>
      new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
    const text = fc.string({unit: fc.constantFrom('a', 'b'), maxLength: 10});
    const pattern = fc.string({unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8});
    fc.assert(
      fc.property(pattern, text, (glob, candidate) => {
        expect(compileGlob(glob)(candidate)).to.equal(toRegExp(glob).test(candidate));
      }),
    );
  });

  it('matches in bounded time where a regular expression backtracks exponentially', () => {
    const matches = compileGlob(`${'*a'.repeat(200)}b`);
    expect(matches('a'.repeat(20_000))).to.equal(false);
  });
});
