import {counted, figure} from '../words.js';
import type {Bounds, Finding, Measurement} from './findings.js';
import type {Member} from './inventory.js';
import {predicateOf, type RuleName, ruleNames, ruleTable} from './sentence.js';

/** A number of connectors, a percentage of `Figures.base`, or a number of seconds. */
export interface Bound {
  readonly value: number;
  readonly unit: '%' | '' | 's';
}

/** A rule with a bound for failures and one for warnings; at least one of them is set. */
export interface Rule {
  readonly name: RuleName;
  readonly fail?: Bound | undefined;
  readonly warn?: Bound | undefined;
  /** Whether the rule applies without a flag. Reports omit such a rule while it holds. */
  readonly isImplied?: true;
}

/**
 * The rules of a check that is given none: no connector is offline, and at least one is online. Connectors without a
 * heartbeat only warn, because a new fleet has some until its last machine is installed.
 */
export const defaultRules: readonly Rule[] = [
  {name: 'min-online', fail: {value: 1, unit: ''}},
  {name: 'max-offline', fail: {value: 0, unit: ''}},
  {name: 'max-never', warn: {value: 0, unit: ''}},
];

/** At least one connector has to exist. */
export const atLeastOne: Rule = {name: 'min-total', fail: {value: 1, unit: ''}};

/** Rules against each flaw. Few fleets have flaws, so a pass is not worth reporting. */
export const impliedRules: readonly Rule[] = ruleNames
  .filter((name) => ruleTable[name].by === 'flaw')
  .map((name) => ({name, fail: {value: 0, unit: ''}, isImplied: true}));

/** What a rule measures in a fleet, without the revoked connectors. */
export interface Figures {
  /** Number of connectors that the rule counts; for `max-age`, those without a last heartbeat. */
  readonly count: number;
  /** The base of percentages: the expected connectors, or all without an inventory. */
  readonly base: number;
  /** For `max-age` the age of the oldest last heartbeat in seconds; undefined without any heartbeat. */
  readonly oldest: number | undefined;
}

/**
 * Computes the figures of the evaluated connectors for a rule.
 *
 * @param size `total`: the connectors selected by `--name` (default: all), listed in the inventory or not
 * @param now the service's clock in milliseconds since the Unix epoch
 */
export function figuresOf(
  name: RuleName,
  members: readonly Member[],
  {total, base}: {readonly total: number; readonly base: number},
  now: number,
): Figures {
  const {counts, by} = ruleTable[name];
  const isCounted = ({status, flaws, lastHeartbeatAt}: Member) => {
    if (by === undefined) return lastHeartbeatAt === null;
    return by === 'status' ? status === counts : flaws.some((flaw) => flaw === counts);
  };
  const times = name === 'max-age' ? members.flatMap(({lastHeartbeatAt: at}) => at ?? []) : [];
  const oldest = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return {
    count: name === 'min-total' ? total : members.filter(isCounted).length,
    base,
    oldest: times.length === 0 ? undefined : Math.max(0, now - oldest) / 1000,
  };
}

/** Reads a count such as `3` or a percentage from `0%` to `100%`; undefined for any other text. */
export function parseBound(text: string): Bound | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(%?)$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]);
  if (match[2] === '%') return value <= 100 ? {value, unit: '%'} : undefined;
  return Number.isInteger(value) ? {value, unit: ''} : undefined;
}

/**
 * Evaluates a fleet by one rule.
 *
 * @param scope the noun for the connectors in the message: `connectors`, or `expected connectors`
 */
export function evaluateRule(rule: Rule, figures: Figures, scope: string): Finding {
  const {name, fail, warn} = rule;
  const warned = holds(name, warn, figures) ? 'pass' : 'warn';
  const status = holds(name, fail, figures) ? warned : 'fail';
  const decisive = decisiveBound(rule, status);
  return {
    id: name,
    subject: 'fleet',
    status,
    message: `${describe(name, figures, scope, decisive)}; required: ${requirement(name, decisive)}`,
    measurement: measure(rule, figures),
  };
}

/** The bound that decided the status of a rule. */
export function decisiveBound({fail, warn}: Rule, status: Finding['status']): Bound | undefined {
  return status === 'warn' || fail === undefined ? warn : fail;
}

function holds(name: RuleName, bound: Bound | undefined, figures: Figures): boolean {
  if (bound === undefined) return true;
  const count = comparedBy(name, figures);
  // A percentage of no connectors is undefined, so no such bound holds.
  if (bound.unit === '%' && figures.base === 0) return false;
  // In whole numbers, so that 95 % of 500 is 475 exactly, and 1.15 % of 10,000 is 115.
  const [measured, limit] =
    bound.unit === '%'
      ? [count * 100 * millionths, Math.round(bound.value * millionths) * figures.base]
      : [count, bound.value];
  return isMinimum(name) ? measured >= limit : measured <= limit;
}

/** Makes a percentage, which has up to six decimals, a whole number. */
const millionths = 1_000_000;

function isMinimum(name: RuleName): boolean {
  return name.startsWith('min-');
}

/** The figure that a rule compares: connectors or seconds. A connector without a heartbeat is infinitely old. */
function comparedBy(name: RuleName, {count, oldest = 0}: Figures): number {
  if (name !== 'max-age') return count;
  return count > 0 ? Number.POSITIVE_INFINITY : oldest;
}

function describe(
  name: RuleName,
  {count, base, oldest}: Figures,
  scope: string,
  bound: Bound | undefined,
): string {
  const predicate = predicateOf(ruleTable[name].counts);
  if (name === 'min-total') return `${counted(count, 'connector')} ${predicate}`;
  if (name === 'max-age' && count === 0) {
    return oldest === undefined
      ? 'no last heartbeat is known'
      : `the oldest last heartbeat is ${Math.ceil(oldest)} s old`;
  }
  const verb = count === 1 ? 'is' : 'are';
  const found = `${figure(count)} of ${figure(base)} ${scope} ${verb} ${predicate}`;
  if (name === 'max-age') return `${found}, so that they have no age`;
  return base === 0 ? found : `${found} (${percentage(name, count, base, bound)} %)`;
}

/**
 * The percentage with the decimals of its bound, at least one. A maximum rounds up and a minimum down, so that a
 * violated bound never looks as if it held. A count above 0 is never shown as 0 %.
 */
function percentage(name: RuleName, count: number, base: number, bound: Bound | undefined): string {
  const [, decimals = ''] = String(bound?.value ?? 0).split('.');
  const factor = 10 ** Math.max(1, decimals.length);
  const share = (count * 100 * factor) / base;
  const isUpper = bound?.unit === '%' && !isMinimum(name);
  const whole = isUpper ? Math.ceil(share) : Math.floor(share);
  return whole === 0 && count > 0 ? `< ${1 / factor}` : String(whole / factor);
}

function requirement(name: RuleName, bound: Bound | undefined): string {
  const {value, unit} = bound ?? {value: 0, unit: ''};
  const limit = unit === '' ? figure(value) : `${value} ${unit}`;
  return isMinimum(name) ? `at least ${limit}` : `at most ${limit}`;
}

/** The requirement of a violated rule: `required: at least 95 % online`. */
export function requiredOf({name}: Rule, bound: Bound | undefined): string {
  const what = name === 'max-age' ? 'old' : predicateOf(ruleTable[name].counts);
  return `required: ${requirement(name, bound)} ${what}`;
}

function measure({name, fail, warn}: Rule, figures: Figures): Measurement | undefined {
  const count = comparedBy(name, figures);
  const isAge = name === 'max-age';
  if (isAge && (figures.oldest === undefined || figures.count > 0)) return undefined;
  const unit = isAge ? 's' : (fail ?? warn)?.unit === '%' ? '%' : '';
  const share = figures.base === 0 ? 0 : (count * 100) / figures.base;
  const value = unit === '%' ? share : count;
  const bounds = (bound: Bound | undefined): Bounds | undefined => {
    if (bound === undefined) return undefined;
    const limit = inUnit(bound, unit, figures.base);
    return isMinimum(name) ? {min: limit} : {max: limit};
  };
  return {value, unit, warning: bounds(warn), critical: bounds(fail)};
}

/** Converts a bound to the unit of the measured figure. */
function inUnit({value, unit}: Bound, wanted: Measurement['unit'], base: number): number {
  if (unit === wanted || wanted === 's' || base === 0) return value;
  return wanted === '%' ? (value * 100) / base : (value * base) / 100;
}
