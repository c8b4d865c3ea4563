import {expect} from 'chai';
import * as fc from 'fast-check';
import {type ColumnRequest, gap, indent, layoutColumns} from '../../../src/render/table/layout.js';

/** Columns by their widths; a negative one may not be cut. */
function demands(...widths: number[]): ColumnRequest[] {
  return widths.map((width, column) => ({column, width: Math.abs(width), cuttable: width > 0}));
}

/** The layout as widths: one array per line. */
function widths(columns: readonly ColumnRequest[], width: number | undefined): number[][] {
  return layoutColumns(columns, width).map((line) => line.map((slot) => slot.width));
}

describe('layoutColumns', () => {
  it('gives every column its width without a limit, up to the maximum padding', () => {
    expect(widths(demands(-30, 20, 7), undefined)).to.deep.equal([[30, 20, 7]]);
    expect(widths(demands(-30, 1_000_000), undefined)).to.deep.equal([[30, 256]]);
  });

  it('gives every column its width when the line has room', () => {
    expect(widths(demands(-30, 20, 7, -14), 77)).to.deep.equal([[30, 20, 7, 14]]);
  });

  it('narrows the widest column first', () => {
    expect(widths(demands(-30, 20, 7, -14), 76)).to.deep.equal([[30, 19, 7, 14]]);
    expect(widths(demands(40, 20), 42)).to.deep.equal([[20, 20]]);
    expect(widths(demands(40, 30), 42)).to.deep.equal([[20, 20]]);
  });

  it('starts another line instead of narrowing a column below 12', () => {
    expect(widths(demands(-30, 20, 7, -14), 69)).to.deep.equal([[30, 12, 7, 14]]);
    expect(widths(demands(-30, 20, 7, -14), 68)).to.deep.equal([[30, 20, 7], [14]]);
    expect(widths(demands(-30, 20, 7, -14), 40)).to.deep.equal([[30], [13, 7, 14]]);
  });

  it('narrows a fixed column only when it is wider than a line', () => {
    expect(widths(demands(-30, 5), 25)).to.deep.equal([[25], [5]]);
    expect(widths(demands(5, -30), 25)).to.deep.equal([[5], [23]]);
  });

  it('places every column once and in order, and makes no line wider than the terminal', () => {
    const columns = fc
      .array(
        fc.integer({min: -60, max: 60}).filter((width) => width !== 0),
        {minLength: 1},
      )
      .map((all) => demands(...all));
    fc.assert(
      fc.property(columns, fc.integer({min: 3, max: 120}), (wanted, width) => {
        const layout = layoutColumns(wanted, width);
        expect(layout.flat().map(({column}) => column)).to.deep.equal(wanted.map((_, i) => i));
        for (const [index, line] of layout.entries()) {
          const used = line.reduce((sum, slot) => sum + slot.width, gap * (line.length - 1));
          expect(used + (index === 0 ? 0 : indent)).to.be.at.most(width);
          for (const slot of line) expect(slot.width).to.be.at.least(1);
        }
      }),
    );
  });
});
