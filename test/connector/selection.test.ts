import {expect} from 'chai';
import {checkFields, type Selection, selectConnectors} from '../../src/connector/selection.js';
import type {JsonObject} from '../../src/domain/json.js';
import {failure} from '../support/client.js';
import {reading} from '../support/values/render.js';

const time = (milliseconds: number) => new Date(milliseconds).toISOString();

const fleet: readonly JsonObject[] = [
  {id: '3', name: 'web-b', status: 'online', last_heartbeat_at: time(300)},
  {id: '1', name: 'db', status: 'Offline', last_heartbeat_at: null},
  {id: '2', name: 'web-a', status: 'online', last_heartbeat_at: time(100)},
  {id: '4', status: 'online', last_heartbeat_at: time(200)},
];

/** The ids that a selection yields, and whether its limit left out any. */
function select(selection: Selection, from: readonly JsonObject[] = fleet, now = 0) {
  const {selected, isCut} = selectConnectors(from, selection, now);
  return {ids: selected.map(({id}) => id).join(' '), isCut};
}

describe('selectConnectors', () => {
  const cases: readonly (readonly [what: string, Selection, ids: string, isCut?: boolean])[] = [
    ['everything in the order of the source without options', {}, '3 1 2 4'],
    ['a status in any case', {status: ['ONLINE']}, '3 2 4'],
    ['no part of a status', {status: ['on']}, ''],
    ['any of several statuses', {status: ['online', 'OFFLINE']}, '3 1 2 4'],
    ['a glob of the whole name', {name: ['web-*']}, '3 2'],
    ['no connector without a name', {name: ['*']}, '3 1 2'],
    ['any of several globs', {name: ['db', '*-a']}, '1 2'],
    ['what has both status and name', {status: ['offline', 'never'], name: ['db', '*-a']}, '1'],
    ['a last heartbeat that is older', {'older-than': 200}, '2'],
    ['no last heartbeat of that very age, and none without one', {'older-than': 300}, ''],
    ['the first up to the limit', {limit: 2}, '3 1', true],
    ['all up to the limit', {limit: 4}, '3 1 2 4'],
    ['all that match up to the limit', {limit: 3, status: ['online']}, '3 2 4'],
    ['the first after sorting', {sort: '-id', limit: 2}, '4 3', true],
  ];
  for (const [what, selection, ids, isCut = false] of cases) {
    it(`yields ${what}`, () => {
      expect(select(selection, fleet, 400)).to.deep.equal({ids, isCut});
    });
  }

  it('sorts by a field of the service, numbers by their value and before text', () => {
    const of = (id: string, fields: JsonObject) => ({id, ...fields});
    const items = [
      of('a', {rack: {row: 10}}),
      of('b', {rack: {row: 'x'}}),
      of('c', {}),
      of('d', {rack: {row: 9}}),
      of('e', {rack: {row: 9007199254740993n}}),
    ];
    const sorted = (key: string) => select({sort: key}, items).ids;
    expect(sorted('rack.row')).to.equal('d a e b c');
    expect(sorted('-rack.row')).to.equal('b e a d c');
  });

  it('sorts by each field, missing values last in both directions', () => {
    const sorted = (key: string) => select({sort: key}).ids;
    expect(sorted('id')).to.equal('1 2 3 4');
    expect(sorted('-id')).to.equal('4 3 2 1');
    expect(sorted('name')).to.equal('1 2 3 4');
    expect(sorted('-name')).to.equal('3 2 1 4');
    expect(sorted('last_heartbeat_at')).to.equal('2 4 3 1');
    expect(sorted('-last_heartbeat_at')).to.equal('3 4 2 1');
    expect(sorted('status')).to.equal('1 3 2 4');
    expect(sorted('organization')).to.equal('3 1 2 4');
  });
});

describe('checkFields', () => {
  const bare: readonly JsonObject[] = [
    {id: 'a', name: 'A'},
    {id: 'b', name: 'B'},
  ];
  const ours = reading().raw;
  const pass = async (connectors: readonly JsonObject[], selection: Selection) => {
    checkFields(connectors, selection);
    return connectors;
  };

  it('passes all connectors through when they have the fields to filter by', async () => {
    const mixed = [...bare, {id: 'c', status: 'lost'}];
    expect(await pass(mixed, {status: ['online'], name: ['x*']})).to.deep.equal(mixed);
    expect(await pass(bare, {name: ['x*']})).to.deep.equal(bare);
    expect(await pass([], {status: ['online']})).to.deep.equal([]);
  });

  it('fails at the end of the list if no connector has the field to filter by', async () => {
    const error = await failure(() => pass(bare, {status: ['offline']}));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.include('Cannot filter by --status');
    const nameless = [{id: 'a'}];
    expect((await failure(() => pass(nameless, {name: ['*']}))).message).to.include('--name');
  });

  it('rejects a status unknown to the reference service, and suggests a similar one', async () => {
    const error = await failure(() => pass([ours], {status: ['Ofline']}));
    expect(error).to.include({kind: 'usage', message: 'No such status: Ofline'});
    expect(error.hint).to.include('Did you mean offline?');
    expect((await failure(() => pass([ours], {status: ['broken']}))).hint).to.equal(
      'The statuses are: never, online, stale, offline, revoked.',
    );
    expect(await pass([ours], {status: ['OFFLINE']})).to.have.length(1);
    expect((await failure(() => pass([ours], {status: ['offline', 'broken']}))).message).to.equal(
      'No such status: broken',
    );
  });

  it('rejects a filter by age when no connector has a last heartbeat, but not when it is null', async () => {
    expect((await failure(() => pass(bare, {'older-than': 1}))).message).to.include('--older-than');
    const never = [{id: 'a', last_heartbeat_at: null}];
    expect(await pass(never, {'older-than': 1})).to.deep.equal(never);
  });

  it('rejects a field to sort by that no connector has, suggests a similar one, and lists all', async () => {
    const sort = (field: string) => ({sort: field});
    const error = await failure(() => pass([ours], sort('nmae')));
    expect(error.kind).to.equal('usage');
    expect(error.hint).to.match(/^Did you mean name\? The fields are: id, name, status, /);
    const rack = [{id: 'a', rack: {row: 2}}];
    const {hint} = await failure(() => pass(rack, sort('rakc')));
    expect(hint).to.equal('Did you mean rack? The fields are: id, rack.');
    expect((await failure(() => pass(rack, sort('x')))).hint).to.equal('The fields are: id, rack.');
    expect(await pass(rack, sort('rack.row'))).to.deep.equal(rack);
    expect(await pass(bare, sort('status'))).to.deep.equal(bare);
  });
});
