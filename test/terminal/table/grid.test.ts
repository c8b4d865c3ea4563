import {expect} from 'chai';
import {renderGrid} from '../../../src/terminal/table/grid.js';

describe('renderGrid', () => {
  it('writes one line per row, whose columns are as wide as their widest value', async () => {
    const rows = [
      ['prod', 'yes', 'https://connectors.example/api'],
      ['日本語', '', ''],
    ];
    expect(await renderGrid(['NAME', 'IN USE', 'BASE URL'], rows)).to.equal(
      [
        'NAME    IN USE  BASE URL',
        'prod    yes     https://connectors.example/api',
        '日本語  -       -',
        '',
      ].join('\n'),
    );
  });

  it('escapes terminal codes and line feeds in a value', async () => {
    expect(await renderGrid(['NAME'], [['\x1b[31mred\nline']])).to.equal(
      'NAME\n\\x1b[31mred\\x0aline\n',
    );
  });
});
