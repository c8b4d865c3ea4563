import type {Finding} from './findings.js';

/**
 * What a check finds of a connector, in the words after "is" and "are". A finding without a row is its own word, such
 * as `offline`.
 */
const predicates: Readonly<Record<string, string>> = {
  contradicted: 'online by word alone',
  duplicate: 'surplus',
  expected: 'as expected',
  never: 'without any heartbeat',
  restarting: 'restarting again and again',
  shared: 'shared by two processes',
  'too-old': 'silent for too long',
  unknown: 'without a status',
};

export const predicateOf = (check: string): string => predicates[check] ?? check;

/** A connector as every format names it, since names are not unique: `web-1 (con_1)`. */
export const labelOf = (name: string | undefined, id: string | undefined): string =>
  name === undefined || id === undefined || name === id ? (name ?? id ?? '') : `${name} (${id})`;

/** Of which connector, and what a check found and looked for. */
interface Found extends Pick<Finding, 'rule' | 'status' | 'details'> {
  readonly name: string | undefined;
  /** Undefined for an entry of an inventory that has a name alone. */
  readonly id: string | undefined;
  /** More about what was found, such as `last heartbeat 3m ago`. */
  readonly found?: string | undefined;
  /** What was looked for, such as `required: at most 0 offline`. */
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
