import type {Finding} from './findings.js';

/**
 * What is wrong with a connector, whatever its status. `shared`: two processes send its heartbeats. `restarting`: its
 * process starts again and again. `contradicted`: the service calls it online, but its last heartbeat is too old.
 */
export type Flaw = 'shared' | 'restarting' | 'contradicted';

/** What a rule counts, and the words for it in messages. */
interface RuleRow {
  /** The status or flaw that the rule counts; also the id of the finding about such a connector. */
  readonly counts: string;
  /** Whether the rule counts connectors by their status or by a flaw; undefined for neither. */
  readonly by?: 'status' | 'flaw';
  /** The words for such connectors after "is" and "are". Default: `counts`. */
  readonly is?: string;
  /** An explanation of such a connector, or the next step. */
  readonly advice?: string;
}

/** A connector is restarting if its process has started at least this many times within an hour. */
export const restartingFrom = 5;

const rows = {
  'min-total': {counts: 'total', is: 'in all'},
  'min-online': {counts: 'online', by: 'status'},
  'max-offline': {counts: 'offline', by: 'status'},
  'max-stale': {counts: 'stale', by: 'status'},
  'max-never': {counts: 'never', by: 'status', is: 'without any heartbeat'},
  'max-shared': {
    counts: 'shared',
    by: 'flaw',
    is: 'shared by two processes',
    advice:
      'two processes send its heartbeats: a copy of its credentials file, or a second start; activate one of the machines again',
  },
  'max-restarting': {
    counts: 'restarting',
    by: 'flaw',
    is: 'restarting again and again',
    advice: `its process started ${restartingFrom} times or more within an hour; see its log`,
  },
  'max-contradicted': {
    counts: 'contradicted',
    by: 'flaw',
    is: 'contradicted by the last heartbeat',
    advice:
      'the service says online nevertheless; --online-within DURATION goes by the heartbeat alone',
  },
  'max-age': {counts: 'silent', is: 'without any heartbeat'},
} satisfies Readonly<Record<string, RuleRow>>;

/** The name of a rule; the flag of the same name sets its bound. */
export type RuleName = keyof typeof rows;

/** The rules that a fleet is evaluated by, in the order in which they are reported. */
export const ruleTable: Readonly<Record<RuleName, RuleRow>> = rows;

export const ruleNames = Object.keys(ruleTable) as readonly RuleName[];

/** The names of the rules that count connectors by their status. */
export const statusRules: ReadonlySet<string | undefined> = new Set(
  ruleNames.filter((name) => ruleTable[name].by === 'status'),
);

/** The words after "is" and "are" by the id of a finding. An id that is missing here, such as `offline`, is the word. */
const predicates: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.values(ruleTable).map(({counts, is}) => [counts, is])),
  duplicate: 'surplus',
  expected: 'as expected',
  'too-old': 'silent for too long',
  unknown: 'without a status',
};

export const predicateOf = (check: string): string => predicates[check] ?? check;

/** A connector as every format names it, since names are not unique: `web-1 (con_1)`. */
export const labelOf = (name: string | undefined, id: string | undefined): string =>
  name === undefined || id === undefined || name === id ? (name ?? id ?? '') : `${name} (${id})`;

/** The connector of a finding, what the check found, and what it looked for. */
interface Found extends Pick<Finding, 'rule' | 'status' | 'details'> {
  readonly name: string | undefined;
  /** Undefined for an entry of an inventory that has only a name. */
  readonly id: string | undefined;
  /** A detail of what the check found, such as `last heartbeat 3m ago`. */
  readonly found?: string | undefined;
  /** The requirement, such as `required: at most 0 offline`. */
  readonly wanted?: string | undefined;
}

/**
 * A finding about a connector. Its message is the one sentence that all formats and alarms show:
 * `web-1 (con_1) is offline (last heartbeat 3m ago); required: at most 0 offline`.
 */
export function connectorFinding(check: string, about: Found): Finding {
  const {name, id, rule, status, found, wanted} = about;
  const details = {...(id !== undefined && {id}), ...about.details};
  const more = `${found ? ` (${found})` : ''}${wanted ? `; ${wanted}` : ''}`;
  const message = `${labelOf(name, id)} is ${predicateOf(check)}${more}`;
  return {id: check, rule, subject: name ?? id ?? '', status, message, details};
}
