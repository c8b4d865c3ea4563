import {expect} from 'chai';
import stringWidth from 'string-width';
import {renderGrid} from '../../../src/render/table/grid.js';

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

  it('takes several lines for each row on a narrow terminal, and cuts nothing that fits on one', async () => {
    expect(await renderGrid(head, rows, 40)).to.equal(
      [
        'NAME         IN USE',
        '  BASE URL',
        'prod         yes',
        '  https://connectors.example/api',
        'a-long-name  -',
        '  -',
        '',
      ].join('\n'),
    );
  });

  it('cuts what is wider than the terminal', async () => {
    const lines = (await renderGrid(head, rows, 24)).split('\n');
    expect(lines).to.include('  https://connectors.ex…');
    expect(lines.filter((line) => line.length > 24)).to.deep.equal([]);
  });

  it('is the same whether it just fits the terminal or there is none', async () => {
    const wide = [...rows, ['日本語', 'no', 'é']];
    const text = await renderGrid(head, wide, undefined);
    const width = Math.max(...text.split('\n').map((line) => stringWidth(line)));
    expect(await renderGrid(head, wide, width)).to.equal(text);
    expect(await renderGrid(head, wide, width - 1)).not.to.equal(text);
  });

  it('never obeys a terminal code in a value', async () => {
    expect(await renderGrid(['NAME'], [['\x1b[31mred\nline']], undefined)).to.equal(
      'NAME\n\\x1b[31mred\\x0aline\n',
    );
  });
});
