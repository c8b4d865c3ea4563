import {expect} from 'chai';
import fc from 'fast-check';
import {hashText} from '../../../src/store/postgres/hash-text.js';
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
