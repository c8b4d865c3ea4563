import {expect} from 'chai';
import stringWidth from 'string-width';
import {type Column, tableRows} from '../../../src/terminal/table/table.js';

/** Columns of these widths; a negative one may not be cut. */
function columnsOf(...widths: number[]): Column<unknown>[] {
  return widths.map((width) => ({
    title: 'x'.repeat(Math.abs(width)),
    value: () => 'y'.repeat(Math.abs(width)),
    cuttable: width > 0,
  }));
}

/** The lines of a row as the widths of its columns, without the indent. */
async function widths(columns: readonly Column<unknown>[], width: number | undefined) {
  const [, text = ''] = await tableRows([1], columns, width);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .trim()
        .split(/ +/)
        .map((cell) => stringWidth(cell)),
    );
}

describe('a table', () => {
  it('gives every column its width without a limit, up to the maximum padding', async () => {
    expect(await widths(columnsOf(-30, 20, 7), undefined)).to.deep.equal([[30, 20, 7]]);
    const texts = ['x'.repeat(1_000_000), 'y'];
    const columns = [
      {title: 'A', value: (text: string) => text},
      {title: 'B', value: () => 'b'},
    ];
    const rows = [...(await tableRows(texts, columns, undefined))].map((row) => row.trimEnd());
    expect(rows[0]).to.equal(`A${' '.repeat(257)}B`);
    expect(rows[2]).to.equal(`y${' '.repeat(257)}b`);
  });

  it('gives every column its width when the line has room', async () => {
    expect(await widths(columnsOf(-30, 20, 7, -14), 77)).to.deep.equal([[30, 20, 7, 14]]);
  });

  it('narrows the columns that may be cut, in their order', async () => {
    expect(await widths(columnsOf(-30, 20, 7, -14), 76)).to.deep.equal([[30, 19, 7, 14]]);
    expect(await widths(columnsOf(40, 20), 42)).to.deep.equal([[20, 20]]);
    expect(await widths(columnsOf(40, 30), 42)).to.deep.equal([[12, 28]]);
  });

  it('starts another line instead of narrowing a column below 12', async () => {
    expect(await widths(columnsOf(-30, 20, 7, -14), 69)).to.deep.equal([[30, 12, 7, 14]]);
    expect(await widths(columnsOf(-30, 20, 7, -14), 68)).to.deep.equal([[30, 12, 7], [14]]);
    expect(await widths(columnsOf(-30, 20, 7, -14), 40)).to.deep.equal([[30], [12, 7, 14]]);
  });

  it('narrows a fixed column only when it is wider than a line', async () => {
    expect(await widths(columnsOf(-30, 5), 25)).to.deep.equal([[23], [5]]);
    expect(await widths(columnsOf(5, -30), 25)).to.deep.equal([[5], [23]]);
  });
});
