import {expect} from 'chai';

import {connectorsTable} from '../../../src/connector/fields/table.js';
import {type Frame, watchFrame, worstFirst} from '../../../src/connector/list/watch-view.js';

import {noColors} from '../../../src/terminal/escape.js';
import {now, reading} from '../../support/values/render.js';

const fleet = (count: number, name = 'build') =>
  Array.from(
    {length: count},
    (_, index) => reading({id: `con_${index}`, name: `${name}-${index}`}).raw,
  );

/** The frame of a list of which the first `rows` are held. */
async function frameOf(total: number, options: Partial<Frame> = {}, name?: string) {
  const {rows = 24, columns = 80} = options;
  const held = fleet(total, name).slice(0, rows);
  const style = {width: columns, palette: noColors, now: () => now, wide: false};
  const table = [...(await connectorsTable(held, style))].join('');
  const frame = {
    table,
    held: held.length,
    connectors: fleet(total),
    readAt: now,
    failure: undefined,
    warning: undefined,
  };
  return watchFrame({...frame, rows, columns, palette: noColors, now, ...options});
}

describe('a frame of the watched list', () => {
  it('is the table and the number of connectors', async () => {
    expect(await frameOf(2)).to.deep.equal([
      'ID     NAME     STATUS  LAST HEARTBEAT',
      'con_0  build-0  online  12s ago',
      'con_1  build-1  online  12s ago',
      '2 connectors. Ctrl-C ends.',
    ]);
    expect(await frameOf(0)).to.deep.equal(['0 connectors. Ctrl-C ends.']);
  });

  it('has the warning of the list above the last line', async () => {
    const lines = await frameOf(5, {rows: 4, columns: 40, warning: `Warning: ${'x'.repeat(40)}`});
    expect(lines).to.have.length(4);
    expect(lines.at(-2)).to.match(/^Warning: x+…$/);
    expect(lines[1]).to.match(/^con_0 /);
  });

  it('is cut to the height of the terminal, and counts the rest', async () => {
    const lines = await frameOf(1000, {rows: 10});
    expect(lines).to.have.length(10);
    expect(lines.at(-1)).to.equal('… 992 more of 1,000 connectors: 1,000 online. Ctrl-C ends.');
    expect(lines.at(-2)).to.include('con_7');
  });

  it('counts by status what it does not show, the worst first', async () => {
    const statuses = ['online', 'Stale', 'revoked', 'online', 'paused', 'offline', undefined];
    const sent = statuses.map((status, id) => ({id: `c${id}`, ...(status && {status})}));
    const ids = worstFirst(sent).map(({id}) => id);
    expect(ids).to.deep.equal(['c5', 'c1', 'c4', 'c6', 'c0', 'c3', 'c2']);
    expect((await frameOf(7, {rows: 4, columns: 120, connectors: sent})).at(-1)).to.equal(
      '… 5 more of 7 connectors: 1 offline, 1 stale, 1 paused, 1 without a status, 2 online, 1 revoked. Ctrl-C ends.',
    );
  });

  it('never shows a part of a connector that takes several lines', async () => {
    for (const rows of [2, 3, 4, 5, 6, 7, 8]) {
      const lines = await frameOf(9, {rows, columns: 24}, 'x'.repeat(60));
      expect(lines.length, `${rows} rows`).to.be.at.most(rows);
      expect(lines.at(-1)).to.match(/^… \d more of 9/);
    }
  });

  it('keeps the last list below an error, and says how old it is', async () => {
    const lines = await frameOf(1, {failure: 'no\x1b[2J response', readAt: now - 9000});
    expect(lines.slice(-2)).to.deep.equal([
      'no\\x1b[2J response',
      '1 connector, as of 9s ago. Ctrl-C ends.',
    ]);
    const none = await frameOf(0, {failure: 'down', readAt: undefined});
    expect(none).to.deep.equal(['down', 'No list yet. Ctrl-C ends.']);
  });

  it('cuts an error to the width', async () => {
    const [error = ''] = await frameOf(0, {failure: 'e'.repeat(99), columns: 30});
    expect(error).to.equal(`${'e'.repeat(29)}…`);
  });
});
