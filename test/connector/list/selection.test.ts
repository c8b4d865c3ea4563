import {expect} from 'chai';
import {type Selection, selectConnectors} from '../../../src/connector/list/selection.js';
import type {JsonObject} from '../../../src/domain/json.js';

const time = (milliseconds: number) => new Date(milliseconds).toISOString();

const fleet: readonly JsonObject[] = [
  {id: '3', name: 'web-b', status: 'online', last_heartbeat_at: time(300)},
  {id: '1', name: 'db', status: 'Offline', last_heartbeat_at: null},
  {id: '2', name: 'web-a', status: 'online', last_heartbeat_at: time(100)},
  {id: '4', status: 'online', last_heartbeat_at: time(200)},
];

/** The ids that a selection yields. */
const select = (selection: Selection, from: readonly JsonObject[] = fleet, now = 0) =>
  selectConnectors(from, selection, now)
    .map(({id}) => id)
    .join(' ');

describe('selectConnectors', () => {
  const cases: readonly (readonly [what: string, Selection, ids: string])[] = [
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
  ];
  for (const [what, selection, ids] of cases) {
    it(`yields ${what}`, () => {
      expect(select(selection, fleet, 400)).to.equal(ids);
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
    const sorted = (key: string) => select({sort: key}, items);
    expect(sorted('rack.row')).to.equal('d a e b c');
    expect(sorted('rack.row:desc')).to.equal('b e a d c');
  });

  it('sorts by each field, missing values last in both directions', () => {
    const sorted = (key: string) => select({sort: key});
    expect(sorted('id')).to.equal('1 2 3 4');
    expect(sorted('id:desc')).to.equal('4 3 2 1');
    expect(sorted('name')).to.equal('1 2 3 4');
    expect(sorted('name:desc')).to.equal('3 2 1 4');
    expect(sorted('last_heartbeat_at')).to.equal('2 4 3 1');
    expect(sorted('last_heartbeat_at:desc')).to.equal('3 4 2 1');
    expect(sorted('status')).to.equal('1 3 2 4');
    expect(sorted('organization')).to.equal('3 1 2 4');
  });
});
