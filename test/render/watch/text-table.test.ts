import {expect} from 'chai';
import * as fc from 'fast-check';
import {TextTable} from '../../../src/render/watch/text-table.js';
import {awkwardText} from '../../support/render.js';

const keyOf = (id: string) => `[${JSON.stringify(id)},`;
const textOf = (id: string, value: string) => keyOf(id) + JSON.stringify(value);

describe('the table of texts that --watch keeps', () => {
  it('has the same texts as a Map after any additions, replacements and removals', () => {
    const id = fc.oneof(fc.nat(40).map(String), awkwardText);
    const step = fc.record({id, value: awkwardText, isRemoval: fc.boolean()});
    fc.assert(
      fc.property(fc.array(step, {maxLength: 60}), (steps) => {
        const table = new TextTable();
        const model = new Map<string, string>();
        for (const {id, value, isRemoval} of steps) {
          const [key, text] = [keyOf(id), textOf(id, value)];
          const row = table.find(key);
          expect(row !== undefined).to.equal(model.has(key));
          if (isRemoval) {
            table.retain((one) => one !== row);
            model.delete(key);
          } else {
            if (row === undefined) table.add(key, text);
            else table.replace(row, text);
            model.set(key, text);
          }
        }
        expect(table.size).to.equal(model.size);
        for (const [key, text] of model) expect(table.get(table.find(key)!)).to.equal(text);
      }),
    );
  });

  it('keeps all texts when it grows, and when long texts replace short ones again and again', () => {
    const table = new TextTable();
    const ids = Array.from({length: 5000}, (_, index) => `con_${index}`);
    for (const id of ids) table.add(keyOf(id), textOf(id, id));
    for (const round of ['', 'longer '.repeat(20), 'short']) {
      for (const [row, id] of ids.entries()) table.replace(row, textOf(id, `${round}${id}`));
      for (const [row, id] of ids.entries()) {
        expect(table.find(keyOf(id))).to.equal(row);
        expect(table.get(row)).to.equal(textOf(id, `${round}${id}`));
      }
    }
    expect(table.find(keyOf('con_5000'))).to.equal(undefined);
  });

  it('keeps the order of the rows that stay', () => {
    const table = new TextTable();
    for (const id of ['a', 'b', 'c', 'd']) table.add(keyOf(id), textOf(id, id));
    table.retain((row) => row !== 1);
    expect([0, 1, 2].map((row) => table.get(row))).to.deep.equal(
      ['a', 'c', 'd'].map((id) => textOf(id, id)),
    );
    expect(table.find(keyOf('b'))).to.equal(undefined);
    expect(table.find(keyOf('d'))).to.equal(2);
  });
});
