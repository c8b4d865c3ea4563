import {expect} from 'chai';
import fc from 'fast-check';
import {findText, hashText} from '../../../src/store/postgres/citus/hash-text.js';
import {makeTestDatabase} from '../../support/postgres.js';

describe('the hash of a text', () => {
  it('equals the hash that PostgreSQL computes, for texts of any length and any characters', async () => {
    const database = await makeTestDatabase();
    try {
      const text = fc
        .string({unit: 'binary', maxLength: 60})
        .filter((value) => !/[\0\p{Cs}]/u.test(value));
      const lengths = Array.from({length: 40}, (_, length) => 'x'.repeat(length));
      const texts = [...lengths, ...fc.sample(text, 2000)];
      const rows = await database.query<{hash: number}>(
        'SELECT hashtext(value) AS hash FROM unnest($1::text[]) AS sample (value)',
        [texts],
      );
      expect(rows.map(({hash}) => hash)).to.deep.equal(texts.map(hashText));
    } finally {
      await database.drop();
    }
  });
});

describe('a text for a range of hashes', () => {
  it('has a hash within the range, of which the end is no part', () => {
    const first = hashText('probe 0');
    const all = [-(2 ** 31), 2 ** 31] as const;
    expect(findText(...all)).to.equal('probe 0');
    expect(findText(first, all[1])).to.equal('probe 0');
    expect(hashText(findText(first + 1, all[1]))).to.be.above(first);
    expect(hashText(findText(all[0], first))).to.be.below(first);
    const middle = hashText(findText(-1_000_000_000, 1_000_000_000));
    expect(middle).to.be.within(-1_000_000_000, 999_999_999);
  });
});
