import {expect} from 'chai';
import * as fc from 'fast-check';
import {diffConnectors, renderChange} from '../../src/render/changes.js';
import {noColours, paletteFor} from '../../src/render/palette.js';
import {awkwardText, bareReading, reading, terminalControls} from './support.js';

function lines(...lists: Parameters<typeof diffConnectors>): string[] {
  return diffConnectors(...lists).map((change) => renderChange(change, noColours));
}

describe('diffConnectors', () => {
  it('tells what came, what went and what changed', () => {
    const previous = [reading({id: 'a'}), reading({id: 'b'}), reading({id: 'c'})];
    const current = [
      reading({id: 'd', name: 'new'}),
      reading({id: 'a', status: 'offline', name: 'renamed'}),
      reading({id: 'c'}),
      bareReading('e'),
    ];
    expect(lines(previous, current)).to.deep.equal([
      '- b',
      '+ d new',
      '~ a name build-1 → renamed',
      '~ a status online → offline',
      '+ e',
    ]);
  });

  it('tells nothing of heartbeats, of order, or of nothing', () => {
    const before = [reading({id: 'a'}), reading({id: 'b'})];
    const after = [reading({id: 'b', lastHeartbeatAt: null}), reading({id: 'a'})];
    expect(lines(before, after)).to.deep.equal([]);
    expect(lines([], [])).to.deep.equal([]);
  });

  it('takes the last of two readings of one connector, look after look', () => {
    const twice = [
      reading({id: 'a', status: 'stale'}),
      reading({id: 'b'}),
      reading({id: 'a', status: 'online'}),
    ];
    expect(lines([], twice)).to.deep.equal(['+ a build-1', '+ b build-1']);
    expect(lines(twice, twice)).to.deep.equal([]);
    expect(lines(twice, [])).to.deep.equal(['- a', '- b']);
  });

  it('marks a value that the service stopped telling', () => {
    expect(lines([reading({id: 'a'})], [reading({id: 'a', status: undefined})])).to.deep.equal([
      '~ a status online → -',
    ]);
  });
});

describe('renderChange', () => {
  it('colours statuses, and no other field', async () => {
    const palette = await paletteFor(1);
    const [name, status] = diffConnectors(
      [reading({id: 'a', name: 'online'})],
      [reading({id: 'a', name: 'offline', status: 'offline'})],
    ).map((change) => renderChange(change, palette));
    expect(name).to.equal('~ a name online → offline');
    expect(status).to.equal('~ a status \u001b[32monline\u001b[39m → \u001b[31moffline\u001b[39m');
  });

  it('is one line that a terminal obeys nothing of', () => {
    fc.assert(
      fc.property(awkwardText, (text) => {
        const added = lines([], [reading({id: text, name: text})]);
        const changed = lines(
          [reading({id: text})],
          [reading({id: text, name: text, status: text})],
        );
        for (const line of [...added, ...changed]) {
          expect(line).not.to.match(terminalControls);
          expect(line).not.to.include('\n');
        }
      }),
    );
  });
});
