import type {Bounds, Finding, Measurement} from './findings.js';

/** The rules that a fleet is judged by, in the order in which they are reported. */
export const ruleNames = [
  'min-total',
  'min-online',
  'max-offline',
  'max-stale',
  'max-never',
  'max-age',
] as const;

/** The name of a rule; the flag of the same name sets its bound. */
export type RuleName = (typeof ruleNames)[number];

/** A number of connectors, or a percentage of those that are expected or match. */
export interface Bound {
  readonly value: number;
  readonly unit: '%' | '' | 's';
}

/** A rule with the bound of a failure and that of a warning; at least one of them is set. */
export interface Rule {
  readonly name: RuleName;
  readonly fail?: Bound | undefined;
  readonly warn?: Bound | undefined;
}

/** The numbers of a fleet that the rules compare. */
export interface FleetFigures {
  /** Connectors that match. */
  readonly total: number;
  /** The base of percentages: the expected connectors, or `total` without an inventory. */
  readonly base: number;
  readonly online: number;
  readonly offline: number;
  readonly stale: number;
  readonly never: number;
  /** Age of the oldest last heartbeat in seconds; undefined without any heartbeat. */
  readonly oldest: number | undefined;
}

/** Reads `3` or `95%`; undefined when it is neither. A percentage is from 0 to 100. */
export function parseBound(text: string): Bound | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(%?)$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]);
  if (match[2] === '%') return value <= 100 ? {value, unit: '%'} : undefined;
  return Number.isInteger(value) ? {value, unit: ''} : undefined;
}

type CountedStatus = 'online' | 'offline' | 'stale' | 'never';

const countedStatuses = {
  'min-total': undefined,
  'min-online': 'online',
  'max-offline': 'offline',
  'max-stale': 'stale',
  'max-never': 'never',
  'max-age': undefined,
} as const satisfies Record<RuleName, CountedStatus | undefined>;

/** The status that a rule counts; undefined for a rule on all connectors, or on their ages. */
export function statusOfRule(name: RuleName): CountedStatus | undefined {
  return countedStatuses[name];
}

/**
 * Judges a fleet by one rule.
 *
 * @param scope the noun for the connectors in the message: `connectors`, or `expected connectors`
 */
export function judge(rule: Rule, figures: FleetFigures, scope: string): Finding {
  const {name, fail, warn} = rule;
  const status = statusUnder(rule, figures);
  const decisive = status === 'warn' || fail === undefined ? warn : fail;
  return {
    id: name,
    subject: 'fleet',
    status,
    message: `${describe(name, figures, scope)}; required: ${requirement(name, decisive)}`,
    measurement: measure(rule, figures),
  };
}

function statusUnder({name, fail, warn}: Rule, figures: FleetFigures): 'fail' | 'pass' | 'warn' {
  if (!holds(name, fail, figures)) return 'fail';
  return holds(name, warn, figures) ? 'pass' : 'warn';
}

function holds(name: RuleName, bound: Bound | undefined, figures: FleetFigures): boolean {
  if (bound === undefined) return true;
  const count = countOf(name, figures);
  if (count === undefined) return true;
  // A percentage of no connectors is undefined; `min-total` sets how many there must be.
  if (bound.unit === '%' && figures.base === 0) return false;
  // Without a division, so that 95 % of 500 is 475 exactly.
  const [measured, limit] =
    bound.unit === '%' ? [count * 100, bound.value * figures.base] : [count, bound.value];
  return name.startsWith('min-') ? measured >= limit : measured <= limit;
}

/** The figure that a rule compares: a number of connectors, or seconds. */
function countOf(name: RuleName, figures: FleetFigures): number | undefined {
  const status = statusOfRule(name);
  if (status !== undefined) return figures[status];
  return name === 'min-total' ? figures.total : figures.oldest;
}

function describe(name: RuleName, figures: FleetFigures, scope: string): string {
  if (name === 'min-total')
    return `${figures.total} ${figures.total === 1 ? 'connector' : 'connectors'} in all`;
  if (name === 'max-age') {
    return figures.oldest === undefined
      ? 'no connector has sent a heartbeat'
      : `the oldest last heartbeat is ${Math.round(figures.oldest)} s old`;
  }
  const status = statusOfRule(name) ?? 'online';
  const count = figures[status];
  const share = figures.base === 0 ? '' : ` (${percentage(count, figures.base)} %)`;
  const verb = status === 'never' ? 'never sent a heartbeat' : `are ${status}`;
  return `${count} of ${figures.base} ${scope} ${verb}${share}`;
}

/** With one decimal, rounded down so that it never shows a bound as reached when it is not. */
function percentage(count: number, base: number): number {
  return Math.floor((count * 1000) / base) / 10;
}

function requirement(name: RuleName, bound: Bound | undefined): string {
  const {value, unit} = bound ?? {value: 0, unit: ''};
  const figure = unit === '' ? String(value) : `${value} ${unit}`;
  return name.startsWith('min-') ? `at least ${figure}` : `at most ${figure}`;
}

function measure(rule: Rule, figures: FleetFigures): Measurement | undefined {
  const {name, fail, warn} = rule;
  const count = countOf(name, figures);
  if (count === undefined) return undefined;
  const unit = unitOf(rule);
  const share = figures.base === 0 ? 0 : (count * 100) / figures.base;
  const value = unit === '%' ? share : count;
  const bounds = (bound: Bound | undefined): Bounds | undefined => {
    if (bound === undefined) return undefined;
    const limit = inUnit(bound, unit, figures.base);
    return name.startsWith('min-') ? {min: limit} : {max: limit};
  };
  return {value, unit, warning: bounds(warn), critical: bounds(fail)};
}

function unitOf({name, fail, warn}: Rule): Measurement['unit'] {
  if (name === 'max-age') return 's';
  return (fail ?? warn)?.unit === '%' ? '%' : '';
}

/** A bound in the unit of the figure, if the two bounds of a rule have different units. */
function inUnit({value, unit}: Bound, wanted: Measurement['unit'], base: number): number {
  if (unit === wanted || wanted === 's' || base === 0) return value;
  return wanted === '%' ? (value * 100) / base : (value * base) / 100;
}
