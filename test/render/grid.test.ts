import {expect} from 'chai';
import stringWidth from 'string-width';
import {renderGrid} from '../../src/render/grid.js';

const head = ['NAME', 'IN USE', 'BASE URL'];
const rows = [
  ['prod', 'yes', 'https://connectors.example/api'],
  ['a-long-name', '', ''],
];

describe('grid', () => {
  it('is one line for each row where there is no terminal', async () => {
    expect(await renderGrid(head, rows, undefined)).to.equal(
      [
        'NAME         IN USE  BASE URL',
        'prod         yes     https://connectors.example/api',
        'a-long-name  -       -',
        '',
      ].join('\n'),
    );
  });

  it('folds values on a narrow terminal, and cuts none', async () => {
    expect(await renderGrid(head, rows, 40)).to.equal(
      [
        'NAME         IN USE  BASE URL',
        'prod         yes     https://connectors.',
        '                     example/api',
        'a-long-name  -       -',
        '',
      ].join('\n'),
    );
  });

  for (const width of [16, 24, 40, 80]) {
    it(`is no wider than a terminal of ${width} columns`, async () => {
      const wide = [...rows, ['日本語の名前', 'no', 'é'.repeat(50)]];
      const lines = (await renderGrid(head, wide, width)).split('\n');
      expect(lines.filter((line) => stringWidth(line) > width)).to.deep.equal([]);
      expect(lines.join('').match(/é/g)).to.have.length(50);
    });
  }

  it('never obeys a terminal code in a value', async () => {
    expect(await renderGrid(['NAME'], [['\x1b[31mred\nline']], undefined)).to.equal(
      'NAME\n\\x1b[31mred\\x0aline\n',
    );
  });
});
