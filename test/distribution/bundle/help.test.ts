import {createRequire} from 'node:module';
import {expect} from 'chai';
import fc from 'fast-check';
import {root} from '../../support/sources.js';

type Wrap = (text: string, columns: number, options: object) => string;

const require = createRequire(`${root}/package.json`);
const oclif = createRequire(require.resolve('@oclif/core/help'));
const wrap: Wrap = require('./scripts/bundle/alias/oclif-wrap-ansi.cjs');

describe('the wrapping of help in the bundle', () => {
  it('breaks each text as the framework’s wrap-ansi does', () => {
    const word = fc.string({unit: fc.constantFrom(...'abc%<.é\n\u001B'), maxLength: 9});
    const text = fc.array(word, {maxLength: 12}).map((words) => words.join(' '));
    const real: Wrap = oclif('wrap-ansi');
    fc.assert(
      fc.property(text, fc.integer({min: 1, max: 30}), (one, columns) => {
        expect(wrap(one, columns, {hard: true})).to.equal(real(one, columns, {hard: true}));
      }),
      {numRuns: 2000},
    );
  });
});
