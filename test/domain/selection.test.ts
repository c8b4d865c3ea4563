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

/** The ids that a selection yields, the number of connectors read, and whether the source was closed. */
async function select(selection: Selection, from: readonly Selectable[] = fleet, now = 0) {
  let read = 0;
  let closed = false;
  let cuts = 0;
  async function* source() {
    try {
      for (const item of from) {
        read++;
        yield item;
      }
    } finally {
      closed = true;
    }
  }
  const ids: string[] = [];
  for await (const {id} of selectConnectors(source(), selection, {
    onCut: () => cuts++,
    now: () => now,
  }))
    ids.push(id);
  return {ids: ids.join(' '), read, closed, cuts};
}

describe('selectConnectors', () => {
  it('yields everything in the order of the source without options', async () => {
    expect(await select({})).to.deep.equal({ids: '3 1 2 4', read: 4, closed: true, cuts: 0});
  });

  it('filters by status case-insensitively', async () => {
    expect((await select({status: ['ONLINE']})).ids).to.equal('3 2 4');
    expect((await select({status: ['offline']})).ids).to.equal('1');
    expect((await select({status: ['on']})).ids).to.equal('');
  });

  it('filters by a glob of the whole name; a connector without a name never matches', async () => {
    expect((await select({name: ['web-*']})).ids).to.equal('3 2');
    expect((await select({name: ['*']})).ids).to.equal('3 1 2');
    expect((await select({name: ['web-*'], status: ['offline']})).ids).to.equal('');
  });

  it('takes connectors that match any of several statuses and any of several globs', async () => {
    expect((await select({status: ['online', 'OFFLINE']})).ids).to.equal('3 1 2 4');
    expect((await select({name: ['db', '*-a']})).ids).to.equal('1 2');
    expect((await select({status: ['offline', 'never'], name: ['db', '*-a']})).ids).to.equal('1');
  });

  it('filters by the age of the last heartbeat; a connector without one never matches', async () => {
    const aged = async (ages: Selection) => (await select({...ages}, fleet, 400)).ids;
    expect(await aged({olderThan: 200})).to.equal('2');
    expect(await aged({olderThan: 300})).to.equal('');
  });

  it('sorts by a field of the service, numbers by their value and before text', async () => {
    const of = (id: string, raw: JsonObject) => connector({id, raw});
    const items = [
      of('a', {rack: {row: 10}}),
      of('b', {rack: {row: 'x'}}),
      of('c', {}),
      of('d', {rack: {row: 9}}),
      of('e', {rack: {row: 9007199254740993n}}),
    ];
    const sorted = async (key: string) => (await select({sort: parseSortKey(key)}, items)).ids;
    expect(await sorted('rack.row')).to.equal('d a e b c');
    expect(await sorted('-rack.row')).to.equal('b e a d c');
  });

  it('ends the source at the limit, and reports the cut', async () => {
    expect(await select({limit: 2})).to.deep.equal({ids: '3 1', read: 3, closed: true, cuts: 1});
  });

  it('reports no cut when the limit leaves nothing out', async () => {
    expect((await select({limit: 4})).cuts).to.equal(0);
    expect((await select({limit: 3, status: ['online']})).cuts).to.equal(0);
    expect((await select({limit: 4, sort: {field: 'id', descending: false}})).cuts).to.equal(0);
  });

  it('closes the source when the reader stops early', async () => {
    let closed = false;
    async function* source() {
      try {
        yield* fleet;
      } finally {
        closed = true;
      }
    }
    for await (const _ of selectConnectors(source(), {}, {now: Date.now})) break;
    expect(closed).to.equal(true);
  });

  it('sorts by each field, missing values last in both directions', async () => {
    const sorted = async (key: string) => (await select({sort: parseSortKey(key)})).ids;
    expect(await sorted('id')).to.equal('1 2 3 4');
    expect(await sorted('-id')).to.equal('4 3 2 1');
    expect(await sorted('name')).to.equal('1 2 3 4');
    expect(await sorted('-name')).to.equal('3 2 1 4');
    expect(await sorted('last_heartbeat_at')).to.equal('2 4 3 1');
    expect(await sorted('-last_heartbeat_at')).to.equal('3 4 2 1');
    expect(await sorted('status')).to.equal('1 3 2 4');
    expect(await sorted('organization')).to.equal('3 1 2 4');
  });

  it('sorts before it applies the limit, and reports the cut', async () => {
    const result = await select({sort: {field: 'id', descending: true}, limit: 2});
    expect(result).to.deep.equal({ids: '4 3', read: 4, closed: true, cuts: 1});
  });

  it('yields the start of the sorted list with a limit', async () => {
    const anyFleet = fc.array(
      fc.record({
        name: fc.option(fc.constantFrom('a', 'b', 'B', 'ä'), {nil: undefined}),
        at: fc.option(fc.integer({min: 0, max: 3}), {nil: null}),
      }),
      {maxLength: 40},
    );
    const key = fc.constantFrom('name', '-name', 'last_heartbeat_at', '-last_heartbeat_at');
    await fc.assert(
      fc.asyncProperty(
        anyFleet,
        key,
        fc.integer({min: 1, max: 12}),
        async (fields, text, limit) => {
          const items = fields.map(({name, at}, index) =>
            connector({id: `${index}`, name, lastHeartbeatAt: at === null ? null : new Date(at)}),
          );
          const sort = parseSortKey(text);
          const all = (await select({sort}, items)).ids.split(' ');
          const cut = await select({sort, limit}, items);
          expect(cut.ids).to.equal(all.slice(0, limit).join(' '));
          expect(cut.cuts).to.equal(items.length > limit ? 1 : 0);
        },
      ),
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
