import {expect} from 'chai';
import * as fc from 'fast-check';
import type {JsonObject} from '../../src/domain/json.js';
import {
  connectorFields,
  fieldValue,
  parseSortKey,
  type Selectable,
  type Selection,
  selectConnectors,
  sortKeys,
  valueReader,
} from '../../src/domain/selection.js';

function connector(fields: Partial<Selectable> & {id: string}): Selectable {
  return {
    name: undefined,
    status: undefined,
    organization: undefined,
    activatedAt: undefined,
    lastHeartbeatAt: undefined,
    ...fields,
  };
}

const fleet = [
  connector({id: '3', name: 'web-b', status: 'online', lastHeartbeatAt: new Date(300)}),
  connector({id: '1', name: 'db', status: 'Offline', lastHeartbeatAt: null}),
  connector({id: '2', name: 'web-a', status: 'online', lastHeartbeatAt: new Date(100)}),
  connector({id: '4', status: 'online', lastHeartbeatAt: new Date(200)}),
];

/** The ids that a selection yields, and whether its limit left out any. */
function select(selection: Selection, from: readonly Selectable[] = fleet, now = 0) {
  const {selected, isCut} = selectConnectors(from, selection, now);
  return {ids: selected.map(({id}) => id).join(' '), isCut};
}

describe('selectConnectors', () => {
  it('yields everything in the order of the source without options', () => {
    expect(select({})).to.deep.equal({ids: '3 1 2 4', isCut: false});
  });

  it('filters by status case-insensitively', () => {
    expect(select({status: ['ONLINE']}).ids).to.equal('3 2 4');
    expect(select({status: ['offline']}).ids).to.equal('1');
    expect(select({status: ['on']}).ids).to.equal('');
  });

  it('filters by a glob of the whole name; a connector without a name never matches', () => {
    expect(select({name: ['web-*']}).ids).to.equal('3 2');
    expect(select({name: ['*']}).ids).to.equal('3 1 2');
    expect(select({name: ['web-*'], status: ['offline']}).ids).to.equal('');
  });

  it('takes connectors that match any of several statuses and any of several globs', () => {
    expect(select({status: ['online', 'OFFLINE']}).ids).to.equal('3 1 2 4');
    expect(select({name: ['db', '*-a']}).ids).to.equal('1 2');
    expect(select({status: ['offline', 'never'], name: ['db', '*-a']}).ids).to.equal('1');
  });

  it('filters by the age of the last heartbeat; a connector without one never matches', () => {
    const aged = (ages: Selection) => select({...ages}, fleet, 400).ids;
    expect(aged({olderThan: 200})).to.equal('2');
    expect(aged({olderThan: 300})).to.equal('');
  });

  it('sorts by a field of the service, numbers by their value and before text', () => {
    const of = (id: string, raw: JsonObject) => connector({id, raw});
    const items = [
      of('a', {rack: {row: 10}}),
      of('b', {rack: {row: 'x'}}),
      of('c', {}),
      of('d', {rack: {row: 9}}),
      of('e', {rack: {row: 9007199254740993n}}),
    ];
    const sorted = (key: string) => select({sort: parseSortKey(key)}, items).ids;
    expect(sorted('rack.row')).to.equal('d a e b c');
    expect(sorted('-rack.row')).to.equal('b e a d c');
  });

  it('ends at the limit, and reports the cut', () => {
    expect(select({limit: 2})).to.deep.equal({ids: '3 1', isCut: true});
  });

  it('reports no cut when the limit leaves nothing out', () => {
    expect(select({limit: 4}).isCut).to.equal(false);
    expect(select({limit: 3, status: ['online']}).isCut).to.equal(false);
    expect(select({limit: 4, sort: {field: 'id', descending: false}}).isCut).to.equal(false);
  });

  it('sorts by each field, missing values last in both directions', () => {
    const sorted = (key: string) => select({sort: parseSortKey(key)}).ids;
    expect(sorted('id')).to.equal('1 2 3 4');
    expect(sorted('-id')).to.equal('4 3 2 1');
    expect(sorted('name')).to.equal('1 2 3 4');
    expect(sorted('-name')).to.equal('3 2 1 4');
    expect(sorted('last_heartbeat_at')).to.equal('2 4 3 1');
    expect(sorted('-last_heartbeat_at')).to.equal('3 4 2 1');
    expect(sorted('status')).to.equal('1 3 2 4');
    expect(sorted('organization')).to.equal('3 1 2 4');
  });

  it('sorts before it applies the limit, and reports the cut', () => {
    const result = select({sort: {field: 'id', descending: true}, limit: 2});
    expect(result).to.deep.equal({ids: '4 3', isCut: true});
  });

  it('yields the start of the sorted list with a limit', () => {
    const anyFleet = fc.array(
      fc.record({
        name: fc.option(fc.constantFrom('a', 'b', 'B', 'ä'), {nil: undefined}),
        at: fc.option(fc.integer({min: 0, max: 3}), {nil: null}),
      }),
      {maxLength: 40},
    );
    const key = fc.constantFrom('name', '-name', 'last_heartbeat_at', '-last_heartbeat_at');
    fc.assert(
      fc.property(anyFleet, key, fc.integer({min: 1, max: 12}), (fields, text, limit) => {
        const items = fields.map(({name, at}, index) =>
          connector({id: `${index}`, name, lastHeartbeatAt: at === null ? null : new Date(at)}),
        );
        const sort = parseSortKey(text);
        const all = select({sort}, items).ids.split(' ');
        const cut = select({sort, limit}, items);
        expect(cut.ids).to.equal(all.slice(0, limit).join(' '));
        expect(cut.isCut).to.equal(items.length > limit);
      }),
    );
  });
});

describe('parseSortKey', () => {
  it('reads every listed sort key', () => {
    expect(sortKeys.map((text) => parseSortKey(text).field)).to.deep.equal(
      connectorFields.flatMap((field) => [field, field]),
    );
  });

  it('reads a path with dots, and a leading - as descending order', () => {
    expect(parseSortKey('-labels.rack')).to.deep.equal({field: 'labels.rack', descending: true});
  });
});

describe('valueReader', () => {
  const raw = {
    state: 'up',
    labels: {rack: 12, 'app/name': 'x', 'a.b': {c: true}},
    'flat.name': 'f',
    tags: ['t0', 't1'],
    none: null,
  };
  const one = connector({id: 'i', status: 'up', lastHeartbeatAt: null, raw});
  const cases = {
    id: 'i',
    status: 'up',
    last_heartbeat_at: null,
    state: 'up',
    'labels.rack': 12,
    'labels.app/name': 'x',
    'labels.a.b.c': true,
    'flat.name': 'f',
    'tags.1': 't1',
    none: null,
    labels: raw.labels,
    name: undefined,
    'labels.row': undefined,
    'labels.rack.row': undefined,
    toString: undefined,
    'labels.constructor': undefined,
    constructor: undefined,
    '__proto__.toString': undefined,
  };
  for (const [path, expected] of Object.entries(cases)) {
    it(`reads ${path}`, () => {
      expect(valueReader(path)(one)).to.equal(expected);
    });
  }
});

describe('fieldValue', () => {
  it('returns each field of the interface', () => {
    const at = new Date(0);
    const full = {
      id: 'i',
      name: 'n',
      status: 's',
      organization: 'o',
      activatedAt: at,
      lastHeartbeatAt: null,
    };
    expect(connectorFields.map((field) => fieldValue(full, field))).to.deep.equal([
      'i',
      'n',
      's',
      'o',
      at,
      null,
    ]);
  });
});
