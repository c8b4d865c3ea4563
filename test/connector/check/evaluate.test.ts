import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import type {ConnectorReading} from '../../../src/client/types.js';
import {type Criteria, evaluateConnectors} from '../../../src/connector/check/evaluate.js';
import {readRules} from '../../../src/connector/check/rule-flags.js';
import {connectorStatuses} from '../../../src/contract/limits.js';
import {countFindings, type Finding, verdictOf} from '../../../src/domain/check/findings.js';
import {
  type Expected,
  type ExpectedState,
  expectedStates,
} from '../../../src/domain/check/inventory.js';
import {type RuleName, ruleNames, ruleTable} from '../../../src/domain/check/sentence.js';
import type {JsonObject} from '../../../src/domain/json.js';
import {root} from '../../support/sources.js';
import {now, reading} from '../../support/values/render.js';

const page = readFileSync(join(root, 'docs/check.md'), 'utf8');

/** The rows of the table of docs/check.md whose first heading begins with a text, without their markup. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const [, rows = ''] = page.split(`\n| ${heading}`)[1]?.split(/ \|\n\| ---.*\n/, 2) ?? [];
  const lines = rows.split('\n');
  return lines
    .slice(0, lines.indexOf(''))
    .map((line) => line.slice(2, -2).replaceAll('`', '').split(' | '));
}

type Status = (typeof connectorStatuses)[number];

const flawRules = ruleNames.filter((name) => ruleTable[name].by === 'flaw');

/** A connector of one minute's age; one that is `never` has no heartbeat. */
const connector = (status: Status, changes: Partial<ConnectorReading> = {}) =>
  reading({
    status,
    lastHeartbeatAt: status === 'never' ? null : new Date(now - 60_000),
    ...changes,
  });

const entry = (changes: Partial<Expected>): Expected => ({
  id: undefined,
  name: undefined,
  state: 'present',
  ...changes,
});

/** The findings for connectors as a service sends them. */
function findingsFor(sent: readonly JsonObject[], criteria: Partial<Criteria>): readonly Finding[] {
  const all = {rules: [], expected: undefined, allowUnexpected: false, name: undefined};
  return evaluateConnectors(sent, {...all, ...criteria}, now);
}

const evaluated = (fleet: readonly ConnectorReading[], criteria: Partial<Criteria>) =>
  findingsFor(
    fleet.map(({raw}) => raw),
    criteria,
  );

const failed = (findings: readonly Finding[]) =>
  findings.filter(({status}) => status === 'fail').map(({id}) => id);

const verdict = (findings: readonly Finding[]) => verdictOf(countFindings(findings));

describe('the table of statuses and rules in docs/check.md', () => {
  const table = tableOf('status | ');
  const others: Record<Status, Status> = {
    online: 'offline',
    stale: 'online',
    offline: 'online',
    never: 'online',
    revoked: 'online',
  };

  const rules = ruleNames.filter((name) => !flawRules.includes(name));

  it('has a row for every status, and a column for every rule but those on flaws', () => {
    expect(table.map(([status]) => status)).to.have.members([...connectorStatuses]);
    for (const row of table) expect(row).to.have.length(1 + rules.length + 1);
  });

  /** What the code does, in the words of the table. */
  function cellOf(rule: RuleName, status: Status): string {
    const bound =
      rule === 'max-age' ? ({value: 300, unit: 's'} as const) : ({value: 9, unit: ''} as const);
    const [finding] = evaluated([connector(status)], {rules: [{name: rule, fail: bound}]});
    const {measurement, status: result} = finding ?? {};
    if (rule !== 'max-age') return measurement?.value === 1 ? 'counted' : '-';
    if (measurement !== undefined) return measurement.value === 60 ? 'its age' : 'another age';
    return result === 'fail' ? 'too old' : '-';
  }

  /** The same for the number of connectors that a percentage is of. */
  function baseOf(status: Status): string {
    const rules = [{name: 'max-stale', fail: {value: 50, unit: '%'}}] as const;
    const [finding] = evaluated([connector(others[status]), connector(status)], {rules});
    return finding?.message.includes(' of 2 connectors ') ? 'counted' : '-';
  }

  for (const [name = '', ...cells] of table) {
    it(`is what the rules count of a connector that is ${name}`, () => {
      const status = name as Status;
      const found = rules.map((rule) => cellOf(rule, status));
      expect([...found, baseOf(status)]).to.deep.equal(cells);
    });
  }
});

describe('a connector whose heartbeats two processes send', () => {
  const copied = connector('online', {name: 'web-1', identitySharedAt: new Date(now)});
  const fleet = [connector('online', {id: 'con_2'}), copied];

  it('fails a check without any rule of its own, by name and with what to do', () => {
    const findings = evaluated(fleet, {rules: readRules({'min-online': '50%'}, true)});
    const shared = findings.find(({id}) => id === 'shared');
    expect(shared).to.include({subject: 'web-1', status: 'fail', rule: 'max-shared'});
    expect(shared?.message).to.match(/a copy of .* or a second start; activate one .* again/);
    expect(findings.map(({message}) => message)).to.include(
      '1 of 2 connectors is shared by two processes (50 %); required: at most 0',
    );
  });

  it('is a warning, or nothing, if the command line says so', () => {
    const status = (flags: Parameters<typeof readRules>[0]) =>
      verdict(evaluated(fleet, {rules: readRules(flags, true)}));
    expect(status({warn: ['max-shared=0']})).to.equal('warn');
    expect(status({'max-shared': '1', 'min-online': '1'})).to.equal('pass');
  });

  it('has a line for a rule that the command line names, also while it holds', () => {
    for (const name of flawRules) {
      const ids = (flags: object) =>
        evaluated([connector('online')], {rules: readRules(flags, true)}).map(({id}) => id);
      expect(ids({[name]: '1'})).to.include(name);
      expect(ids({warn: [`${name}=0`]})).to.include(name);
      expect(ids({})).not.to.include(name);
    }
  });

  it('is found by an inventory that expects it, and not mentioned in a fleet without any', () => {
    const expected = [entry({name: 'web-1'})];
    const rules = readRules({}, true);
    expect(failed(evaluated([copied], {expected, rules}))).to.deep.equal(['max-shared', 'shared']);
    const ids = evaluated([connector('online')], {rules}).map(({id}) => id);
    expect(ids).not.to.include('max-shared');
  });
});

describe('a connector whose process starts again and again', () => {
  const starting = (startsLastHour: number, fields: Partial<ConnectorReading> = {}) =>
    connector('online', {name: 'web-1', startsLastHour, ...fields});
  const rules = readRules({'min-online': '1'}, true);
  const failing = (one: ConnectorReading) => failed(evaluated([one], {rules}));

  it('fails a check without any rule of its own from the fifth start within an hour on', () => {
    expect(failing(starting(4))).to.deep.equal([]);
    expect(failing(starting(5))).to.deep.equal(['max-restarting', 'restarting']);
    const found = evaluated([starting(8)], {rules});
    const finding = found.find(({id}) => id === 'restarting');
    expect(finding).to.include({subject: 'web-1', rule: 'max-restarting'});
    expect(finding?.message).to.match(
      /web-1 \(con_\w+\) is restarting again and again \(last heartbeat 60s ago; its process started 5 times or more/,
    );
  });

  it('is allowed by a flag, and a warning if the command line says so', () => {
    const status = (flags: Parameters<typeof readRules>[0]) =>
      verdict(evaluated([starting(8)], {rules: readRules(flags, true)}));
    expect(status({'max-restarting': '1', 'min-online': '1'})).to.equal('pass');
    expect(status({warn: ['max-restarting=0']})).to.equal('warn');
  });

  it('is one of several processes at once if its identity is shared', () => {
    const shared = starting(8, {identitySharedAt: new Date(now)});
    expect(failing(shared)).to.deep.equal(['max-shared', 'shared']);
  });

  it('is found where the number of starts cannot be read', () => {
    const {raw, ...rest} = starting(0);
    const unread = {...rest, raw: {...raw, starts_last_hour: 'many'}};
    expect(failing(unread)).to.deep.equal(['max-restarting', 'restarting']);
  });
});

describe('a connector whose last heartbeat contradicts its status', () => {
  const old = new Date(now - 3 * 86_400_000);
  const fleet = [
    connector('online', {id: 'con_2'}),
    connector('online', {name: 'web-1', lastHeartbeatAt: old}),
  ];

  it('fails a check without any rule of its own, by name and with its age', () => {
    const findings = evaluated(fleet, {rules: readRules({'min-online': '50%'}, true)});
    expect(findings.filter(({status}) => status === 'fail').map(({message}) => message)).to.eql([
      '1 of 2 connectors is contradicted by the last heartbeat (50 %); required: at most 0',
      'web-1 (con_01ARZ3NDEKTSV4RRFFQ69G5FAV) is contradicted by the last heartbeat (last heartbeat 3d ago; the service says online nevertheless; --online-within DURATION goes by the heartbeat alone); required: at most 0 contradicted by the last heartbeat',
    ]);
    expect(verdict(evaluated(fleet, {rules: readRules({'max-contradicted': '1'}, true)}))).to.equal(
      'pass',
    );
  });

  it('is judged by the interval that its service names', () => {
    const [, {raw} = reading()] = fleet;
    const rules = readRules({}, true);
    const ids = (fields: object) => findingsFor([{...raw, ...fields}], {rules}).map(({id}) => id);
    const last_heartbeat_at = new Date(now - 2 * 3600_000).toISOString();
    expect(ids({last_heartbeat_at})).not.to.include('contradicted');
    expect(ids({last_heartbeat_at, heartbeat_interval_seconds: 60})).to.include('contradicted');
    const attributes = {interval_seconds: 60};
    expect(ids({last_heartbeat_at, attributes})).to.include('contradicted');
    expect(ids({heartbeat_interval: 14_400_000})).not.to.include('contradicted');
  });

  it('is one with a zero time, which says that a service that keeps last heartbeats has none', () => {
    const rules = readRules({}, true);
    for (const [last_heartbeat_at, found] of [
      ['0001-01-01T00:00:00Z', ['contradicted']],
      [0, ['contradicted']],
      [null, []],
    ] as const) {
      const sent = {id: '1', status: 'online', last_heartbeat_at};
      const findings = findingsFor([sent], {rules});
      const named = findings.filter(({rule}) => rule !== undefined);
      expect(named.map(({id}) => id)).to.deep.equal(found);
      for (const {message} of named) expect(message).to.include('(no heartbeat yet; the service');
    }
  });

  it('is none where the service sends no last heartbeat, and said to be unknown where it cannot be read', () => {
    const rules = readRules({}, true);
    const none = [
      connector('online', {lastHeartbeatAt: undefined}),
      connector('online', {lastHeartbeatAt: null}),
    ];
    expect(evaluated(none, {rules}).map(({status}) => status)).not.to.include.members(['fail']);
    const raw = {id: '1', status: 'online', last_heartbeat_at: 'recently'};
    expect(
      evaluated([reading({raw})], {rules})
        .filter(({status}) => status !== 'pass')
        .map(({message}) => message),
    ).to.eql([
      'the last heartbeats of 1 connector cannot be read, so no status is compared with them',
    ]);
  });
});

describe('the tables of inventories in docs/check.md', () => {
  const finding = (
    fleet: readonly ConnectorReading[],
    expected: readonly Expected[],
    allowUnexpected = false,
  ) => {
    const ids = failed(evaluated(fleet, {expected, allowUnexpected}));
    return ids.filter((id) => id !== 'expected')[0] ?? 'ok';
  };

  for (const [what = '', ...cells] of tableOf('the connector of an entry')) {
    const [word = '', by] = what.split(', ');
    const fleet = word === 'none' ? [] : [connector(word as Status, {id: 'A', name: 'web-1'})];
    const keys = {'by id': {id: 'A', name: 'web-0'}, 'by name': {name: 'web-1'}};
    for (const [kind, key] of Object.entries(keys).filter(
      ([one]) => by === undefined || one === by,
    )) {
      it(`are what an entry ${kind} finds whose connector is ${word}`, () => {
        const states: readonly ExpectedState[] = ['present', 'online', 'absent'];
        expect(states).to.have.members([...expectedStates]);
        // A further connector and its entry, so that the inventory is never of absent connectors alone.
        const rest = {fleet: connector('online', {id: 'Z', name: 'z'}), entry: entry({id: 'Z'})};
        const found = states.map((state) =>
          finding([...fleet, rest.fleet], [entry({...key, state}), rest.entry]),
        );
        expect(found).to.deep.equal(cells);
      });
    }
  }

  const surplus: Record<
    string,
    {fleet: readonly ConnectorReading[]; entries: readonly Expected[]}
  > = {
    'its name is in no entry': {
      fleet: [connector('offline', {id: 'B', name: 'web-2'})],
      entries: [],
    },
    'its name is that of an entry': {
      fleet: [connector('offline', {id: 'B', name: 'web-1'})],
      entries: [],
    },
    'its name is that of an absent entry without an id': {
      fleet: ['B', 'C'].map((id) => connector('offline', {id, name: 'web-9'})),
      entries: [entry({name: 'web-9', state: 'absent'})],
    },
    'it is revoked': {fleet: [connector('revoked', {id: 'B', name: 'web-1'})], entries: []},
  };

  it('say what becomes of every connector that matches no entry', () => {
    const rows = tableOf('a connector that matches no entry').map(([what]) => what);
    expect(rows).to.have.members(Object.keys(surplus));
  });

  for (const [what = '', ...cells] of tableOf('a connector that matches no entry')) {
    for (const key of [{id: 'A', name: 'web-1'}, {name: 'web-1'}]) {
      it(`are what is found beside an entry with ${Object.keys(key).join(' and ')}: ${what}`, () => {
        const {fleet = [], entries = []} = surplus[what] ?? {};
        const all = [...fleet, connector('online', {id: 'A', name: 'web-1'})];
        const expected = [entry(key), ...entries];
        const found = [finding(all, expected), finding(all, expected, true)];
        expect(found).to.deep.equal(cells);
      });
    }
  }
});

describe('an inventory of which the service has nothing', () => {
  const message = (key: 'id' | 'name', values: readonly string[]) => {
    const fleet = [connector('online', {id: 'con_1', name: 'web-1'})];
    const findings = evaluated(fleet, {expected: values.map((one) => entry({[key]: one}))});
    return findings.find(({id, rule}) => id === 'expected' && rule === undefined)?.message;
  };

  it('is said to be of another service, in one sentence', () => {
    const more = Array.from({length: 1200}, (_, index) => `host-${index}`);
    const differences =
      '1,201 differences from the inventory of 1,200 connectors; required: none; the service has none of its';
    expect(message('name', more)).to.equal(`${differences} connectors`);
    // Such as the column ID of an export of NetBox.
    expect(message('id', more)).to.equal(
      `${differences} ids: if another system gave them, remove them to compare names`,
    );
    expect(message('id', [...more, 'con_1'])).not.to.include('none of its');
  });
});

describe('an entry with a name alone', () => {
  const alive = ['online', 'stale', 'offline', 'never'] as const;
  const rules = readRules({'max-age': '2m'}, true);
  const matched = (fleet: readonly ConnectorReading[]) => {
    const expected = [entry({name: 'web-1'})];
    const findings = evaluated(fleet, {expected, rules, allowUnexpected: true});
    return findings.find(({rule}) => rule === 'expected')?.details?.['id'];
  };

  it('stands for the most alive connector of that name, in whatever order the service lists them', () => {
    for (const [index, status] of alive.entries()) {
      for (const worse of [...alive.slice(index + 1), 'revoked' as const]) {
        const fleet = [
          connector(worse, {id: 'worse', name: 'web-1'}),
          connector(status, {id: 'better', name: 'web-1'}),
        ];
        expect(matched(fleet), `${status} before ${worse}`).to.equal('better');
        expect(matched(fleet.toReversed()), `${status} after ${worse}`).to.equal('better');
      }
    }
  });

  it('stands for the one with the latest heartbeat among connectors of one status', () => {
    const fleet = ['older', 'latest', 'old'].map((id, index) =>
      connector('offline', {
        id,
        name: 'web-1',
        lastHeartbeatAt: new Date(now - ([300_000, 60_000, 200_000][index] ?? 0)),
      }),
    );
    expect(matched(fleet)).to.equal('latest');
  });

  it('leaves a connector to the entry with its id', () => {
    const fleet = [
      connector('online', {id: 'A', name: 'web-1'}),
      connector('offline', {id: 'B', name: 'web-1'}),
    ];
    const expected = [entry({name: 'web-1'}), entry({id: 'A'})];
    expect(failed(evaluated(fleet, {expected}))).to.deep.equal([]);
  });

  it('matches an accent in either form of Unicode', () => {
    const fleet = [connector('online', {name: 'caf\u00e9'})];
    expect(failed(evaluated(fleet, {expected: [entry({name: 'cafe\u0301'})]}))).to.deep.equal([]);
  });
});

describe('a fleet without any rule', () => {
  const rules = readRules({}, true);

  for (const status of connectorStatuses) {
    it(`${status === 'online' ? 'passes' : 'fails'} when all connectors are ${status}`, () => {
      const fleet = ['A', 'B'].map((id) => connector(status, {id}));
      expect(verdict(evaluated(fleet, {rules}))).to.equal(status === 'online' ? 'pass' : 'fail');
    });
  }

  it('passes with a warning that names the connectors that never reported', () => {
    const fleet = [connector('online'), connector('never', {id: 'B', name: 'web-2'})];
    const findings = evaluated(fleet, {rules});
    expect(verdict(findings)).to.equal('warn');
    expect(findings.find(({rule}) => rule === 'max-never')).to.include({
      id: 'never',
      subject: 'web-2',
    });
  });

  it('passes with revoked connectors, and shows their number', () => {
    const fleet = [connector('online'), connector('revoked', {id: 'B'})];
    const findings = evaluated(fleet, {rules});
    expect(verdict(findings)).to.equal('pass');
    expect(findings.at(-1)).to.include({
      id: 'revoked',
      status: 'info',
      message: '1 revoked connector is not counted',
    });
  });

  it('may have nobody online when the inventory expects nobody', () => {
    const expected = [entry({name: 'old', state: 'absent'})];
    const criteria = {expected, rules: readRules({}, false), allowUnexpected: true};
    expect(verdict(evaluated([connector('stale')], criteria))).to.equal('pass');
  });
});

describe('a fleet that a monitor looks at', () => {
  it('names who is not online while the rules hold, for what was told of them before', () => {
    const rules = readRules({}, true);
    const fleet = [connector('online', {id: 'A'}), connector('stale', {id: 'B', name: 'web-2'})];
    const findings = evaluated(fleet, {rules, namesAllDown: true});
    expect(verdict(findings)).to.equal('pass');
    expect(findings.at(-1)).to.deep.include({id: 'stale', subject: 'web-2', status: 'info'});
    expect(evaluated(fleet, {rules})).to.have.length(findings.length - 1);
  });
});

describe('a rule about a field that cannot be read', () => {
  const sent = {id: 'b', name: {en: 'n'}, state: 3, last_seen: 'a day ago'};
  const unread = [
    [{'max-age': '90s'}, undefined, 'Cannot evaluate --max-age: the `last_seen` of connector b'],
    [{'max-offline': '0'}, undefined, 'Cannot evaluate --max-offline: the `state` of connector b'],
    [{'min-total': '1'}, ['n*'], 'Cannot evaluate --name: the `name` of connector b'],
  ] as const;
  for (const [flags, name, says] of unread) {
    it(`is an error and not a pass: ${says}`, () => {
      const rules = readRules(flags, true);
      expect(() => findingsFor([sent], {rules, name})).to.throw(`${says} cannot be read: `);
    });
  }
});

describe('a rule about the status, at a service with other words', () => {
  it('is an error that names the field that the service sent, and asks for no field by our name', () => {
    const sent = {id: 'b', state: 'up', last_seen: null};
    const rules = readRules({'max-offline': '0'}, true);
    const criteria = {rules, expected: undefined, allowUnexpected: false, name: undefined};
    expect(() => evaluateConnectors([sent], criteria, now))
      .to.throw(/the `state` of connector b is "up", which is not a known status\.$/)
      .with.property('hint')
      .that.includes('--online-within 3m')
      .and.does.not.include('`');
  });
});

describe('--max-age', () => {
  const rules = readRules({'max-age': '90s', warn: ['max-age=30s']}, true);

  it('fails for a fleet that never sent a heartbeat, and names the connectors', () => {
    const findings = evaluated([connector('online'), connector('never', {id: 'B'})], {rules});
    expect(findings[1]).to.include({
      status: 'fail',
      message:
        '1 of 2 connectors is without any heartbeat, so that they have no age; required: at most 90 s',
    });
    expect(
      findings.filter(({id}) => id === 'too-old').map(({details}) => details?.['id']),
    ).to.include('B');
  });

  it('names the connectors beyond the bound of the warning when only that is exceeded', () => {
    const findings = evaluated([connector('online')], {rules});
    expect(findings.map(({id, status}) => `${id} ${status}`)).to.deep.equal([
      'min-total pass',
      'max-age warn',
      'too-old warn',
    ]);
  });

  it('does not ask for the last heartbeat of a revoked connector', () => {
    const gone = connector('revoked', {id: 'B', lastHeartbeatAt: undefined});
    expect(failed(evaluated([connector('online'), gone], {rules}))).to.deep.equal([]);
  });
});

describe('--name', () => {
  const name = ['web-*'];
  const fleet = [
    connector('online', {id: 'A', name: 'web-1'}),
    connector('offline', {id: 'B', name: 'db-1'}),
  ];
  const differences = (...expected: readonly Expected[]) =>
    failed(evaluated(fleet, {expected, name}));

  it('leaves entries out as it leaves connectors out', () => {
    expect(differences(entry({name: 'web-1'}), entry({name: 'db-2'}))).to.deep.equal([]);
    expect(differences(entry({name: 'web-1'}), entry({name: 'web-2'}))).to.deep.equal([
      'expected',
      'missing',
    ]);
  });

  it('evaluates an entry with an id by the name of its connector', () => {
    const renamed = entry({id: 'A', name: 'db-9'});
    expect(differences(renamed, entry({id: 'B'}), entry({id: 'B'}))).to.deep.equal([]);
    expect(differences(renamed, entry({id: 'C', name: 'db-3'}))).to.deep.equal([]);
    expect(differences(renamed, entry({id: 'C'}))).to.include('missing');
  });

  it('fails when it leaves out the whole inventory', () => {
    const expected = [entry({name: 'db-1'})];
    const findings = evaluated(fleet, {expected, name, allowUnexpected: true});
    expect(findings[0]).to.include({
      status: 'fail',
      message: 'no entry of the inventory matches --name; required: at least one connector',
    });
  });
});
