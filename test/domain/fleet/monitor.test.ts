import {expect} from 'chai';
import type {Finding} from '../../../src/domain/fleet/findings.js';
import {type MonitorState, noState, updateState} from '../../../src/domain/fleet/monitor.js';

const minute = 60_000;

const offline = (name: string, status: 'fail' | 'warn' = 'fail', id = `c-${name}`): Finding => ({
  id: 'offline',
  rule: 'max-offline',
  subject: name,
  status,
  message: `${name} (last heartbeat 3m ago)`,
  details: {id},
});
const warning = offline('a', 'warn');
const stale: Finding = {...offline('a'), id: 'stale', rule: 'max-stale'};
const stale2: Finding = {...offline('b'), id: 'stale', rule: 'min-online'};
const rule = (status: Finding['status']): Finding => ({
  id: 'max-offline',
  subject: 'fleet',
  status,
  message: '1 of 3 connectors are offline',
});
const away: Finding = {id: 'service', subject: 'http://a', status: 'error', message: 'refused'};

/** What each look finds: the names of the connectors that are offline, or findings. */
type Found = readonly (string | Finding)[];

/** Looks once a minute; returns what each look told, such as `began web-1`. */
function course(looks: readonly Found[], {hold = 0, reportsFirst = false, repeat = Infinity} = {}) {
  let state: MonitorState = noState;
  let ids = 0;
  const createId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  const told = looks.map((found, index) => {
    const findings = found.map((one) => (typeof one === 'string' ? offline(one) : one));
    const look = {findings, isComplete: !findings.includes(away), at: index * minute};
    const rules = {hold, reportsFirst, repeat, createId};
    const next = updateState(state, look, rules);
    if (next.events.length > 0) expect(next.isChanged).to.equal(true);
    state = next.state;
    return next.events.map(({change, problem}) => `${change} ${problem.subject}`).join(', ');
  });
  return {told, state};
}

describe('a monitor', () => {
  const cases: readonly (readonly [
    string,
    readonly Found[],
    readonly string[],
    Parameters<typeof course>[1]?,
  ])[] = [
    ['begins in silence', [['a'], ['a'], []], ['', '', 'ended a']],
    [
      'tells of the first look when asked to',
      [['a'], ['a']],
      ['began a', ''],
      {reportsFirst: true},
    ],
    [
      'tells once when a problem began and once when it ended',
      [[], ['a'], ['a'], []],
      ['', 'began a', '', 'ended a'],
    ],
    [
      'waits until a problem has lasted',
      [[], ['a'], ['a'], ['a'], ['a'], []],
      ['', '', '', 'began a', '', 'ended a'],
      {hold: 2 * minute},
    ],
    [
      'says nothing of a problem that did not last',
      [[], ['a'], ['a'], [], ['a'], [], ['a'], ['a']],
      ['', '', '', '', '', '', '', ''],
      {hold: 2 * minute},
    ],
    [
      'tells of a service that cannot be read, and knows nothing of its connectors meanwhile',
      [['a'], [away], [away], ['b']],
      ['', 'began http://a', '', 'began b, ended http://a, ended a'],
    ],
    [
      'counts the time that the service could not be read',
      [[], ['a'], [away], [away], ['a']],
      ['', '', '', '', 'began a'],
      {hold: 2 * minute},
    ],
    [
      'has no baseline before it has read the service',
      [[away], [away], ['a'], ['a', 'b']],
      ['began http://a', '', 'ended http://a', 'began b'],
    ],
    [
      'does not tell of a rule besides its connectors',
      [[rule('pass')], [rule('fail'), 'a'], [rule('fail'), 'a', 'b'], [rule('pass')]],
      ['', 'began a', 'began b', 'ended a, ended b'],
    ],
    [
      'tells of a rule without connectors',
      [[rule('pass')], [rule('warn')], [rule('pass')]],
      ['', 'began fleet', 'ended fleet'],
    ],
    [
      'tells again when a warning becomes a failure, not when it becomes a warning again',
      [[], [warning], ['a'], [warning], []],
      ['', 'began a', 'began a', '', 'ended a'],
    ],
    [
      'tells when a warning of the first look became a failure, and lasted',
      [[warning], ['a'], ['a'], ['a'], ['a']],
      ['', '', '', 'began a', ''],
      {hold: 2 * minute},
    ],
    [
      'says nothing of a warning that is a failure for a moment',
      [[], [warning], [warning], ['a'], [warning], ['a'], [warning], []],
      ['', '', 'began a', '', '', '', '', 'ended a'],
      {hold: minute},
    ],
    [
      'takes stale and then offline as two stages of one problem',
      [[], [stale], [stale], [stale], ['a'], []],
      ['', '', '', 'began a', '', 'ended a'],
      {hold: 2 * minute},
    ],
    [
      'counts how long a connector has had any problem',
      [[], [stale], ['a'], ['a'], ['a'], []],
      ['', '', '', 'began a', '', 'ended a'],
      {hold: 2 * minute},
    ],
    [
      'tells together of what began in the looks right after the first',
      [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c'], ['c']],
      ['', '', '', '', 'began a, began b', 'began c', 'ended a, ended b'],
      {hold: 2 * minute},
    ],
    [
      'tells of one that lasts while others come and go after it',
      [[], ['a'], ['a', 'b'], ['a', 'c'], ['a', 'd'], ['a', 'e']],
      ['', '', '', 'began a', '', ''],
      {hold: 2 * minute},
    ],
    [
      'does not tell of too few online besides those that are not',
      [[], [{...rule('fail'), id: 'min-online'}, 'a', {...offline('b'), rule: 'min-online'}]],
      ['', 'began a, began b'],
    ],
    [
      'tells of the one that returns, and of the others when they do',
      [[], ['a', stale2], [{...stale2, status: 'info'}], []],
      ['', 'began a, began b', 'ended a', 'ended b'],
    ],
    [
      'says nothing of those that are not online while no rule is broken',
      [[], [{...stale2, status: 'info'}], []],
      ['', '', ''],
    ],
    [
      'tells of too few online, a failure, where the connectors only warn',
      [[], [{...rule('fail'), id: 'min-online'}, warning]],
      ['', 'began fleet, began a'],
    ],
    [
      'tells connectors of the same name apart',
      [[], [offline('a', 'fail', '1'), offline('a', 'fail', '2')], [offline('a', 'fail', '2')]],
      ['', 'began a, began a', 'ended a'],
    ],
  ];
  for (const [title, looks, told, options] of cases) {
    it(title, () => {
      expect(course(looks, options).told).to.deep.equal(told);
    });
  }

  it('keeps events in their order until they are delivered', () => {
    const {undelivered} = course([[], ['a'], ['a', 'b'], ['a', 'b']]).state;
    expect(
      undelivered.map(({id, change, at, since, problem}) => [
        id,
        change,
        at,
        since,
        problem.subject,
      ]),
    ).to.deep.equal([
      ['event-1', 'began', minute, minute, 'a'],
      ['event-2', 'began', 2 * minute, 2 * minute, 'b'],
    ]);
  });

  const waiting = (looks: readonly Found[], from = course(looks).state) =>
    from.undelivered.map(({change, problem}) => `${change} ${problem.status}`);

  it('forgets what began and ended before anybody got it', () => {
    expect(waiting([[], ['a'], [], ['a'], []])).to.deep.equal([]);
    expect(waiting([[], [warning], ['a'], [warning], ['a']])).to.deep.equal(['began fail']);
    expect(waiting([[], [warning], ['a'], []])).to.deep.equal([]);
  });

  it('keeps the end of what was told, and at most one beginning after it, while a connector flaps', () => {
    let state = {...course([[], ['a']]).state, undelivered: []} as MonitorState;
    const rules = {hold: 0, reportsFirst: false, repeat: Infinity, createId: () => 'event'};
    for (let index = 2; index < 50; index += 1) {
      const findings = index % 2 === 0 ? [] : [offline('a')];
      state = updateState(state, {findings, isComplete: true, at: index * minute}, rules).state;
    }
    expect(waiting([], state)).to.deep.equal(['ended fail', 'began fail']);
  });

  it('keeps the end of a warning that was told and became a failure that was not', () => {
    const told = {...course([[], [warning]]).state, undelivered: []};
    const rules = {hold: 0, reportsFirst: false, repeat: Infinity, createId: () => 'event'};
    const worse = {findings: [offline('a')], isComplete: true, at: 2 * minute};
    const over = {findings: [], isComplete: true, at: 3 * minute};
    const failed = updateState(told, worse, rules).state;
    expect(waiting([], updateState(failed, over, rules).state)).to.deep.equal(['ended fail']);
  });

  it('repeats what lasts, with the id and the beginning of the first event', () => {
    let state: MonitorState = noState;
    let ids = 0;
    const createId = () => {
      ids += 1;
      return `event-${ids}`;
    };
    const rules = {hold: 0, reportsFirst: false, repeat: 10 * minute, createId};
    const told: string[] = [];
    const looks = [[], ...Array(25).fill(['a']), [], ['a']] as const;
    for (const [index, names] of looks.entries()) {
      const look = {findings: names.map((name: string) => offline(name)), isComplete: true};
      const next = updateState(state, {...look, at: index * minute}, rules);
      state = next.state;
      for (const {id, change, at, since} of next.events) {
        told.push(`${change} ${id} at ${at / minute} since ${since / minute}`);
        expect(next.isChanged).to.equal(true);
      }
    }
    expect(told).to.deep.equal([
      'began event-1 at 1 since 1',
      'lasts event-1 at 11 since 1',
      'lasts event-1 at 21 since 1',
      'ended event-2 at 26 since 1',
      'began event-3 at 27 since 27',
    ]);
  });

  it('repeats nothing of the baseline, and nothing while the service cannot be read', () => {
    const repeat = 2 * minute;
    expect(course([['a'], ['a'], ['a'], ['a']], {repeat}).told.join('')).to.equal('');
    const outage = [[], ['a'], [away], [away], [away], ['a']];
    expect(course(outage, {repeat}).told).to.deep.equal([
      ...['', 'began a', 'began http://a', '', 'lasts http://a', 'lasts a, ended http://a'],
    ]);
  });

  it('keeps one event of what lasts for a reader that is away, and its end after it', () => {
    const told = {...course([[], ['a']]).state, undelivered: []};
    const rules = {hold: 0, reportsFirst: false, repeat: minute, createId: () => 'event'};
    const look = (at: number, findings = [offline('a')]) => ({findings, isComplete: true, at});
    const later = [2, 3, 4].reduce<MonitorState>(
      (state, minutes) => updateState(state, look(minutes * minute), rules).state,
      told,
    );
    expect(waiting([], later)).to.deep.equal(['lasts fail']);
    const over = updateState(later, look(5 * minute, []), rules).state;
    expect(waiting([], over)).to.deep.equal(['ended fail']);
    const unread = course([[], ['a'], ['a'], ['a'], ['a']], {repeat: minute}).state;
    expect(waiting([], unread)).to.deep.equal(['began fail']);
  });

  it('is not delayed by a clock that was set back', () => {
    const rules = {hold: 2 * minute, reportsFirst: true, repeat: Infinity, createId: () => 'event'};
    const look = (at: number) => ({findings: [offline('a')], isComplete: true, at});
    const first = updateState(noState, look(1_000 * minute), rules).state;
    const second = updateState(first, look(0), rules).state;
    expect(updateState(second, look(2 * minute), rules).events).to.have.length(1);
  });

  it('has nothing to save when only the age in a message changed', () => {
    const rules = {hold: 0, reportsFirst: false, repeat: Infinity, createId: () => 'event'};
    const first = updateState(noState, {findings: [offline('a')], isComplete: true, at: 0}, rules);
    const later = {...offline('a'), message: 'a (last heartbeat 4m ago)'};
    const second = updateState(
      first.state,
      {findings: [later], isComplete: true, at: minute},
      rules,
    );
    expect([first.isChanged, second.isChanged]).to.deep.equal([true, false]);
  });
});
