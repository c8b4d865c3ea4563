import {expect} from 'chai';
import * as fc from 'fast-check';
import type {ConnectorReading} from '../../../src/client/types.js';
import {noColors, paletteFor} from '../../../src/render/palette.js';
import {
  type ConnectorChange,
  ConnectorChanges,
  renderChange,
} from '../../../src/render/watch/changes.js';
import {awkwardText, bareReading, reading, terminalControls} from '../../support/render.js';

type List = readonly ConnectorReading[];
const at = new Date('2026-01-02T03:04:05Z');

/** What the last of several readings of the list changes. */
function changes(...lists: readonly List[]): readonly ConnectorChange[] {
  const tracker = new ConnectorChanges();
  return lists
    .map((list) => {
      const added = list.flatMap((connector) => tracker.read(connector) ?? []);
      return [...added, ...tracker.complete()];
    })
    .at(-1)!;
}

function lines(...lists: readonly List[]): string[] {
  return changes(...lists).map((change) => {
    const line = renderChange(change, at, noColors);
    expect(line).to.match(/^2026-01-02T03:04:05\.000Z /);
    return line.slice(25);
  });
}

describe('ConnectorChanges', () => {
  it('reports added, removed and changed connectors', () => {
    const previous = [reading({id: 'a'}), reading({id: 'b'}), reading({id: 'c'})];
    const current = [
      reading({id: 'd', name: 'new'}),
      reading({id: 'a', status: 'offline', name: 'renamed'}),
      reading({id: 'c'}),
      bareReading('e'),
    ];
    expect(lines(previous, current)).to.deep.equal([
      '+ d online new',
      '+ e -',
      '~ a offline renamed (name: build-1 → renamed)',
      '~ a offline renamed (status: online → offline)',
      '- b online build-1',
    ]);
  });

  it('reports nothing for heartbeats, another order or empty lists', () => {
    const before = [reading({id: 'a'}), reading({id: 'b'})];
    const after = [reading({id: 'b', lastHeartbeatAt: null}), reading({id: 'a'})];
    expect(lines(before, after)).to.deep.equal([]);
    expect(lines([], [])).to.deep.equal([]);
  });

  it('uses the last of two readings of one connector in each poll', () => {
    const twice = [
      reading({id: 'a', status: 'stale'}),
      reading({id: 'b'}),
      reading({id: 'a', status: 'online'}),
    ];
    expect(lines([], twice)).to.deep.equal([
      '+ a stale build-1',
      '+ b online build-1',
      '~ a online build-1 (status: stale → online)',
    ]);
    expect(lines(twice, twice)).to.deep.equal([]);
    expect(lines(twice, [])).to.deep.equal(['- a online build-1', '- b online build-1']);
  });

  it('reports only added connectors for a poll that was interrupted', () => {
    const tracker = new ConnectorChanges();
    for (const id of ['a', 'b']) tracker.read(reading({id}));
    expect([...tracker.complete()]).to.deep.equal([]);
    expect(tracker.read(reading({id: 'c'}))).to.include({kind: 'added'});
    for (const id of ['a', 'b', 'c']) expect(tracker.read(reading({id}))).to.equal(undefined);
    expect([...tracker.complete()]).to.deep.equal([]);
  });

  it('shows - for a value that the service no longer sends', () => {
    expect(lines([reading({id: 'a'})], [reading({id: 'a', status: undefined})])).to.deep.equal([
      '~ a - build-1 (status: online → -)',
    ]);
  });
});

describe('renderChange', () => {
  it('colors statuses, and no other field', async () => {
    const palette = await paletteFor(1);
    const [name, status] = changes(
      [reading({id: 'a', name: 'online'})],
      [reading({id: 'a', name: 'offline', status: 'offline'})],
    ).map((change) => renderChange(change, at, palette).slice(25));
    const word = '\u001b[31moffline\u001b[39m';
    expect(name).to.equal(`~ a ${word} offline (name: online → offline)`);
    expect(status).to.equal(`~ a ${word} offline (status: \u001b[32monline\u001b[39m → ${word})`);
  });

  it('is one line without control characters', () => {
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
