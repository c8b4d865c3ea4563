import {expect} from 'chai';
import {compareInventory, type Expected} from '../../../src/domain/check/inventory.js';

const entry = (changes: Partial<Expected>): Expected => ({
  id: undefined,
  name: undefined,
  state: 'present',
  ...changes,
});

/** Compares entries with connectors that are online. The tables of statuses are tested with docs/check.md. */
function compare(entries: readonly Expected[], fleet: readonly {id: string; name: string}[]) {
  const {size, members, findings} = compareInventory(
    entries,
    {
      members: fleet.map((one) => ({
        ...one,
        status: 'online',
        lastHeartbeatAt: undefined,
        flaws: [],
      })),
      revoked: new Set(),
      leftOut: new Set(),
    },
    {allowUnexpected: false, isWanted: () => true, source: 'fleet.csv'},
  );
  const bad = findings.filter(({status}) => status !== 'pass');
  return {
    size,
    members: members.map(({id}) => id),
    bad: bad.map(({id, subject}) => `${id} ${subject}`),
    said: bad.map(({message}) => message),
  };
}

describe('an inventory compared with a fleet', () => {
  const fleet = [
    {id: '1', name: 'web-1'},
    {id: '2', name: 'web-2'},
  ];

  it('matches repeated names by count', () => {
    const twins = [...fleet, {id: '3', name: 'web-2'}];
    const names = [entry({name: 'web-1'}), entry({name: 'web-2'}), entry({name: 'web-2'})];
    expect(compare(names, twins)).to.deep.include({size: 3, members: ['1', '2', '3'], bad: []});
    expect(compare(names, fleet)).to.deep.include({
      size: 3,
      members: ['1', '2'],
      bad: ['missing web-2'],
    });
    expect(compare(names.slice(0, 2), twins).bad).to.deep.equal(['duplicate web-2']);
  });

  it('reports an id once that the inventory has several times', () => {
    const doubled = [entry({id: '1'}), entry({id: '2'}), entry({id: '2'}), entry({id: '2'})];
    expect(compare(doubled, fleet)).to.deep.include({
      size: 2,
      members: ['1', '2'],
      bad: ['duplicate 2'],
    });
  });

  it('leaves to the absent entry of a name only what its other entries do not take', () => {
    const entries = [
      entry({name: 'web-1', state: 'absent'}),
      entry({name: 'web-1', state: 'present'}),
      entry({name: 'web-2'}),
    ];
    expect(compare(entries, fleet)).to.deep.include({size: 2, members: ['1', '2'], bad: []});
    const second = {id: '3', name: 'web-1'};
    expect(compare(entries, [...fleet, second]).bad).to.deep.equal(['present web-1']);
  });

  it('says what was looked for, what was found, and of which connector by id', () => {
    const said = (entries: readonly Expected[]) => compare(entries, fleet.slice(0, 1)).said;
    expect(said([entry({id: '17', name: 'web-1'})])).to.deep.equal([
      'web-1 (17) is missing; expected by fleet.csv, not at the service, where web-1 has the id 1',
      'web-1 (1) is surplus; not in fleet.csv, where web-1 has the id 17',
    ]);
    expect(said([entry({name: 'WEB-1'})])).to.deep.equal([
      'WEB-1 is missing; expected by fleet.csv, not at the service, where web-1 differs in case alone',
      'web-1 (1) is unexpected; not in fleet.csv, where WEB-1 differs in case alone',
    ]);
  });
});
