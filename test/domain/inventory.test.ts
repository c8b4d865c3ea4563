import {expect} from 'chai';
import {type Expected, Inventory, type Present} from '../../src/domain/inventory.js';

const entry = (changes: Partial<Expected>): Expected => ({
  id: undefined,
  name: undefined,
  state: 'present',
  ...changes,
});

function compare(
  entries: readonly Expected[],
  fleet: readonly Present[],
  allowUnexpected = false,
): readonly string[] {
  const inventory = new Inventory(entries, allowUnexpected);
  for (const connector of fleet) inventory.match(connector);
  return [...inventory.findings()]
    .filter(({status}) => status !== 'pass')
    .map(({id, subject}) => `${id} ${subject}`);
}

describe('an inventory compared with a fleet', () => {
  const fleet = [
    {id: '1', name: 'web-1'},
    {id: '2', name: 'web-2'},
  ];

  it('has no difference when each entry has its connector, by id or by name', () => {
    expect(compare([entry({id: '1'}), entry({name: 'web-2'})], fleet)).to.deep.equal([]);
  });

  it('reports an entry without a connector as missing', () => {
    expect(compare([entry({id: '1'}), entry({id: '3', name: 'web-3'})], fleet)).to.deep.equal([
      'missing web-3',
      'unexpected web-2',
    ]);
  });

  it('reports a connector without an entry as unexpected, unless that is allowed', () => {
    expect(compare([entry({id: '1'})], fleet)).to.deep.equal(['unexpected web-2']);
    expect(compare([entry({id: '1'})], fleet, true)).to.deep.equal([]);
  });

  it('matches repeated names by count', () => {
    const twins = [...fleet, {id: '3', name: 'web-2'}];
    const names = [entry({name: 'web-1'}), entry({name: 'web-2'}), entry({name: 'web-2'})];
    expect(compare(names, twins)).to.deep.equal([]);
    expect(compare(names, fleet)).to.deep.equal(['missing web-2']);
    expect(compare(names.slice(0, 2), twins)).to.deep.equal(['duplicate web-2']);
  });

  it('reports an id once that the inventory has twice', () => {
    const doubled = [entry({id: '1'}), entry({id: '2'}), entry({id: '2'})];
    expect(compare(doubled, fleet)).to.deep.equal(['duplicate 2']);
  });

  it('reports a connector that should be absent, and does not count it as expected', () => {
    const entries = [entry({id: '1'}), entry({name: 'web-2', state: 'absent'})];
    expect(compare(entries, fleet)).to.deep.equal(['present web-2']);
    expect(compare(entries, fleet.slice(0, 1))).to.deep.equal([]);
    expect(new Inventory(entries, false).size).to.equal(1);
  });
});
