import {expect} from 'chai';
import fc from 'fast-check';
import stringWidth from 'string-width';
import type {ConnectorReading} from '../../../src/client/types.js';
import {noColors, paletteFor} from '../../../src/render/palette.js';
import {type FrameOptions, watchFrame} from '../../../src/render/watch/frame.js';
import {now, reading} from '../../support/render.js';

const many = (count: number, name = 'build') =>
  Array.from({length: count}, (_, index) =>
    reading({id: `con_${String(index).padStart(4, '0')}`, name: `${name}-${index}`}),
  );

const frame = async (
  connectors: readonly ConnectorReading[],
  options: Partial<FrameOptions> = {},
) => {
  const {lines} = await watchFrame(connectors, {
    count: connectors.length,
    first: 0,
    columns: 80,
    rows: 24,
    hasKeys: true,
    palette: noColors,
    now,
    readAt: now,
    failure: undefined,
    ...options,
  });
  return lines;
};

describe('watchFrame', () => {
  it('shows the table and the number of connectors', async () => {
    expect(await frame(many(2))).to.deep.equal([
      'ID        NAME     STATUS  LAST HEARTBEAT',
      'con_0000  build-0  online  12s ago',
      'con_0001  build-1  online  12s ago',
      '2 connectors. q or Ctrl-C ends.',
    ]);
    expect(await frame(many(1))).to.include('1 connector. q or Ctrl-C ends.');
    expect(await frame([])).to.deep.equal(['0 connectors. q or Ctrl-C ends.']);
  });

  it('promises no keys where none are read', async () => {
    expect((await frame(many(1), {hasKeys: false})).at(-1)).to.equal('1 connector. Ctrl-C ends.');
    const cut = await frame(many(9), {hasKeys: false, rows: 4});
    expect(cut.at(-1)).to.equal('1–2 of 9. Ctrl-C ends.');
  });

  it('shows how many of the connectors fit the screen', async () => {
    const lines = await frame(many(1000), {rows: 10});
    expect(lines).to.have.length(10);
    expect(lines.at(-1)).to.equal('1–8 of 1000. q ends, arrows scroll.');
    expect(lines.at(-2)).to.include('con_0007');
    expect((await frame(many(8), {rows: 10})).at(-1)).to.equal('8 connectors. q or Ctrl-C ends.');
  });

  it('shows which part of the list is on the screen', async () => {
    const lines = await frame(many(100), {rows: 10, first: 900, count: 1000});
    expect(lines.at(-1)).to.equal('901–908 of 1000. q ends, arrows scroll.');
    const few = await frame(many(1), {rows: 1, columns: 40});
    expect(few).to.deep.equal(['0 of 1. q ends, arrows scroll.']);
  });

  it('shows no part of a connector that takes several lines', async () => {
    const lines = await frame(many(9, 'a-rather-long-name'), {columns: 40, rows: 12});
    expect(lines.at(-1)).to.match(/^1–4 of 9\. q ends, arrows scroll\.$/);
    expect(lines.filter((line) => line.startsWith('con_'))).to.have.length(4);
    expect(lines.length).to.equal(11);
  });

  it('keeps the connectors, and shows their age, while polls fail', async () => {
    const lines = await frame(many(1), {failure: 'nothing\n\x1b[2J listens', readAt: now - 65_000});
    expect(lines.slice(1)).to.deep.equal([
      'con_0000  build-0  online  12s ago',
      'nothing\\x0a\\x1b[2J listens',
      '1 connector, as of 65s ago. q or Ctrl-C ends.',
    ]);
  });

  it('shows no number of connectors before the first poll', async () => {
    const readAt = undefined;
    expect(await frame([], {readAt})).to.deep.equal(['Reading the list. q or Ctrl-C ends.']);
    expect(await frame([], {readAt, failure: 'away'})).to.deep.equal([
      'away',
      'No list yet. q or Ctrl-C ends.',
    ]);
  });

  it('truncates the error to the width of the terminal, then colors it', async () => {
    const palette = await paletteFor(1);
    const lines = await frame([], {palette, failure: 'x'.repeat(100), columns: 20});
    expect(lines[0]).to.equal(palette.error(`${'x'.repeat(19)}…`));
  });

  it('is never larger than the terminal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 20, max: 120}),
        fc.integer({min: 1, max: 40}),
        fc.integer({min: 0, max: 60}),
        fc.option(fc.string({unit: 'grapheme', maxLength: 60}), {nil: undefined}),
        fc.string({unit: 'grapheme', maxLength: 30}),
        async (columns, rows, count, failure, name) => {
          const lines = await frame(many(count, name), {columns, rows, failure});
          expect(lines.length).to.be.at.most(rows);
          for (const line of lines) expect(stringWidth(line)).to.be.at.most(columns);
        },
      ),
    );
  });
});
