import {expect} from 'chai';
import stringWidth from 'string-width';
import {renderGrid} from '../../../src/terminal/table/grid.js';

const head = ['NAME', 'IN USE', 'BASE URL'];
const rows = [
  ['prod', 'yes', 'https://connectors.example/api'],
  ['a-long-name', '', ''],
];

describe('renderGrid', () => {
  it('writes one line per row without a terminal', async () => {
    expect(await renderGrid(head, rows, undefined)).to.equal(
      [
        'NAME         IN USE  BASE URL',
        'prod         yes     https://connectors.example/api',
        'a-long-name  -       -',
        '',
      ].join('\n'),
    );
  });

  it('writes one line per value, and truncates none, when a row does not fit the terminal', async () => {
    const expected = [
      'NAME      prod',
      'IN USE    yes',
      'BASE URL  https://connectors.example/api',
      '',
      'NAME      a-long-name',
      'IN USE    -',
      'BASE URL  -',
      '',
    ].join('\n');
    expect(await renderGrid(head, rows, 40)).to.equal(expected);
    expect(await renderGrid(head, rows, 20)).to.equal(expected);
  });

  it('writes one line per row when the widest row just fits the terminal', async () => {
    const wide = [...rows, ['日本語', 'no', 'é']];
    const text = await renderGrid(head, wide, undefined);
    const width = Math.max(...text.split('\n').map((line) => stringWidth(line)));
    expect(await renderGrid(head, wide, width)).to.equal(text);
    expect(await renderGrid(head, wide, width - 1)).not.to.equal(text);
  });

  it('escapes terminal codes and line feeds in a value', async () => {
    expect(await renderGrid(['NAME'], [['\x1b[31mred\nline']], undefined)).to.equal(
      'NAME\n\\x1b[31mred\\x0aline\n',
    );
  });
});
