import {expect} from 'chai';
import type {Finding} from '../../../src/domain/check/findings.js';
import {
  delivered,
  type MonitorEvent,
  type MonitorState,
  noState,
  updateState,
  waitingIn,
} from '../../../src/domain/check/monitor.js';

const minute = 60_000;

const offline = (name: string, status: Finding['status'] = 'fail', id = `c-${name}`): Finding => ({
  id: 'offline',
  rule: 'max-offline',
  subject: name,
  status,
  message: `${name} (last heartbeat 3m ago)`,
  details: {id},
});
const rule = (status: Finding['status']): Finding => ({
  id: 'max-offline',
  subject: 'fleet',
  status,
  message: '1 of 3 connectors is offline',
});
/** What a look may find, by its name in the tables. */
const findings: Readonly<Record<string, Finding>> = {
  a: offline('a'),
  b: offline('b'),
  c: offline('c'),
  d: offline('d'),
  e: offline('e'),
  'a-warns': offline('a', 'warn'),
  'a-stale': {...offline('a'), id: 'stale', rule: 'max-stale'},
  'b-stale': {...offline('b'), id: 'stale', rule: 'min-online'},
  'b-info': {...offline('b', 'info'), id: 'stale', rule: 'min-online'},
  'b-of-min': {...offline('b'), rule: 'min-online'},
  a1: offline('a', 'fail', '1'),
  a2: offline('a', 'fail', '2'),
  holds: rule('pass'),
  warns: rule('warn'),
  fails: rule('fail'),
  'too-few': {...rule('fail'), id: 'min-online'},
  away: {id: 'service', subject: 'http://a', status: 'error', message: 'refused'},
};

/**
 * Looks once a minute: `a b > began b | - > ended a, ended b` finds two problems in the first look, of which one is
 * told, and none in the second. Before a look with `!`, what was told is delivered.
 *
 * @returns the same, with what each look told, and all events that were told
 */
function course(looks: string, {hold = 0, reportsFirst = false, repeat = Infinity} = {}) {
  let state: MonitorState = noState;
  let ids = 0;
  const createId = () => {
    ids += 1;
    return `event-${ids}`;
  };
  const all: MonitorEvent[] = [];
  const told = looks.split(' | ').map((look, index) => {
    const [words = ''] = look.split(' > ');
    if (words.startsWith('!')) state = delivered(state);
    const found = words.split(/[! ]/).flatMap((word) => findings[word] ?? []);
    const isComplete = !words.includes('away');
    const observed = {findings: found, isComplete, at: index * minute};
    const times = {hold: hold * minute, repeat: repeat * minute};
    const next = updateState(state, observed, {...times, reportsFirst, createId});
    state = next.state;
    all.push(...next.events);
    const events = next.events.map(({change, problem}) => `${change} ${problem.subject}`);
    return events.length === 0 ? words : `${words} > ${events.join(', ')}`;
  });
  const undelivered = waitingIn(state);
  const waiting = undelivered.map(({change, problem}) => `${change} ${problem.status}`);
  return {told: told.join(' | '), all, undelivered, waiting};
}

describe('a monitor', () => {
  /** By the minutes that a problem lasts before it is reported. */
  const courses: readonly (readonly [hold: number, Readonly<Record<string, string>>])[] = [
    [
      0,
      {
        'begins in silence': 'a | a | - > ended a',
        'tells once when a problem began and once when it ended':
          '- | a > began a | a | - > ended a',
        'tells of a service that cannot be read, and knows nothing of its connectors meanwhile':
          'a | away > began http://a | away | b > began b, ended http://a, ended a',
        'has no baseline before it has read the service':
          'away > began http://a | away | a > ended http://a | a b > began b',
        'does not tell of a rule besides its connectors':
          'holds | fails a > began a | fails a b > began b | holds > ended a, ended b',
        'tells of a rule without connectors': 'holds | warns > began fleet | holds > ended fleet',
        'tells again when a warning becomes a failure, not when it becomes a warning again':
          '- | a-warns > began a | a > began a | a-warns | - > ended a',
        'does not tell of too few online besides those that are not':
          '- | too-few a b-of-min > began a, began b',
        'tells of the one that returns, and of the others when they do':
          '- | a b-stale > began a, began b | b-info > ended a | - > ended b',
        'says nothing of those that are not online while no rule is broken': '- | b-info | -',
        'tells of too few online, a failure, where the connectors only warn':
          '- | too-few a-warns > began fleet, began a',
        'tells connectors of the same name apart': '- | a1 a2 > began a, began a | a2 > ended a',
      },
    ],
    [
      1,
      {
        'says nothing of a warning that is a failure for a moment':
          '- | a-warns | a-warns > began a | a | a-warns | a | a-warns | - > ended a',
      },
    ],
    [
      2,
      {
        'waits until a problem has lasted': '- | a | a | a > began a | a | - > ended a',
        'says nothing of a problem that did not last': '- | a | a | - | a | - | a | a',
        'counts the time that the service could not be read': '- | a | away | away | a > began a',
        'tells when a warning of the first look became a failure, and lasted':
          'a-warns | a | a | a > began a | a',
        'takes stale and then offline as two stages of one problem':
          '- | a-stale | a-stale | a-stale > began a | a | - > ended a',
        'counts how long a connector has had any problem':
          '- | a-stale | a | a > began a | a | - > ended a',
        'tells together of what began in the looks right after the first':
          '- | a | a b | a b c | a b c > began a, began b | a b c > began c | c > ended a, ended b',
        'tells of one that lasts while others come and go after it':
          '- | a | a b | a c > began a | a d | a e',
      },
    ],
  ];
  for (const [hold, looks] of courses) {
    for (const [title, look] of Object.entries(looks)) {
      it(title, () => {
        expect(course(look, {hold}).told).to.equal(look);
      });
    }
  }

  it('tells of the first look when asked to', () => {
    expect(course('a | a', {reportsFirst: true}).told).to.equal('a > began a | a');
  });

  it('keeps events in their order until they are delivered', () => {
    const {undelivered} = course('- | a | a b | a b');
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

  /** What a reader finds that was away, by the looks. */
  const kept: Readonly<
    Record<string, readonly [looks: string, waiting: string[], repeat?: number]>
  > = {
    'nothing that began and ended meanwhile': ['- | a | - | a | -', []],
    'the failure that a warning became, once': ['- | a-warns | a | a-warns | a', ['began fail']],
    'nothing of a warning that became a failure and ended': ['- | a-warns | a | -', []],
    'the last event alone of a connector that flaps': [
      '- | a | !- | a | - | a | - | a',
      ['began fail'],
    ],
    'the end of what was told, came back and ended': ['- | a | !- | a | -', ['ended fail']],
    'the end of a warning that was told and became a failure that was not': [
      '- | a-warns | !a | -',
      ['ended fail'],
    ],
    'one event of what lasts': ['- | a | !a | a | a', ['lasts fail'], 1],
    'the end of what lasted': ['- | a | !a | a | a | -', ['ended fail'], 1],
    'the beginning of what lasts and was never told': ['- | a | a | a | a', ['began fail'], 1],
  };
  for (const [what, [looks, waiting, repeat = Infinity]] of Object.entries(kept)) {
    it(`keeps for a reader that is away ${what}`, () => {
      expect(course(looks, {repeat}).waiting).to.deep.equal(waiting);
    });
  }

  it('repeats what lasts, with the id and the beginning of the first event', () => {
    const looks = ['-', ...Array(25).fill('a'), '-', 'a'].join(' | ');
    const told = course(looks, {repeat: 10}).all.map(
      ({id, change, at, since}) => `${change} ${id} at ${at / minute} since ${since / minute}`,
    );
    expect(told).to.deep.equal([
      'began event-1 at 1 since 1',
      'lasts event-1 at 11 since 1',
      'lasts event-1 at 21 since 1',
      'ended event-2 at 26 since 1',
      'began event-3 at 27 since 27',
    ]);
  });

  it('repeats nothing of the baseline, and nothing while the service cannot be read', () => {
    expect(course('a | a | a | a', {repeat: 2}).told).to.equal('a | a | a | a');
    const outage =
      '- | a > began a | away > began http://a | away | away > lasts http://a | a > lasts a, ended http://a';
    expect(course(outage, {repeat: 2}).told).to.equal(outage);
  });

  it('is not delayed by a clock that was set back', () => {
    const rules = {hold: 2 * minute, reportsFirst: true, repeat: Infinity, createId: () => 'event'};
    const look = (at: number) => ({findings: [offline('a')], isComplete: true, at});
    const first = updateState(noState, look(1_000 * minute), rules).state;
    const second = updateState(first, look(0), rules).state;
    expect(updateState(second, look(2 * minute), rules).events).to.have.length(1);
  });
});
