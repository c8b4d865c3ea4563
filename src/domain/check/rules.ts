import {counted, figure} from '../words.js';
import type {Bounds, Finding, Measurement} from './findings.js';
import {type Flaw, flaws, type Member} from './inventory.js';
import {predicateOf} from './sentence.js';

/** The rules that a fleet is evaluated by, in the order in which they are reported. */
export const ruleNames = [
  'min-total',
  'min-online',
  'max-offline',
  'max-stale',
  'max-never',
  'max-shared',
  'max-restarting',
  'max-contradicted',
  'max-age',
] as const;

/** The name of a rule; the flag of the same name sets its bound. */
export type RuleName = (typeof ruleNames)[number];

/** A number of connectors, a percentage of `CheckFigures.base`, or a number of seconds. */
export interface Bound {
  readonly value: number;
  readonly unit: '%' | '' | 's';
}

/** A rule with a bound for failures and one for warnings; at least one of them is set. */
export interface Rule {
  readonly name: RuleName;
  readonly fail?: Bound | undefined;
  readonly warn?: Bound | undefined;
}

/**
 * The rules of a check without rules: no connector is offline, and at least one is online. Connectors without a
 * heartbeat only warn, because a new fleet has some until its last machine is installed.
 */
export const defaultRules: readonly Rule[] = [
  {name: 'min-online', fail: {value: 1, unit: ''}},
  {name: 'max-offline', fail: {value: 0, unit: ''}},
  {name: 'max-never', warn: {value: 0, unit: ''}},
];

/** The rules on flaws: each allows none by default, and is not mentioned while it holds. */
export const flawRules = flaws.map((flaw) => `max-${flaw}` as const);

/** The numbers of a fleet that the rules compare. None of them includes revoked connectors. */
export interface CheckFigures {
  /** Connectors selected by `--name` (default: all), listed in the inventory or not. */
  readonly total: number;
  /** The base of percentages: the expected connectors, or `total` without an inventory. */
  readonly base: number;
  readonly online: number;
  readonly offline: number;
  readonly stale: number;
  readonly never: number;
  /** Age of the oldest last heartbeat in seconds; undefined without any heartbeat. */
  readonly oldest: number | undefined;
  /** Connectors without a last heartbeat, whatever their status; 0 where heartbeats were not read. */
  readonly silent: number;
  /** Connectors with each flaw. */
  readonly shared: number;
  readonly restarting: number;
  readonly contradicted: number;
}

/**
 * Computes the figures of the evaluated connectors.
 *
 * @param now the service's clock in milliseconds since the Unix epoch
 */
export function figuresOf(
  members: readonly Member[],
  size: Pick<CheckFigures, 'base' | 'total'>,
  now: number,
): CheckFigures {
  const count = (wanted: string) => members.filter(({status}) => status === wanted).length;
  const flawed = (flaw: Flaw) => members.filter((one) => one.flaws[flaw]).length;
  const times = members.map(({lastHeartbeatAt}) => lastHeartbeatAt);
  const oldest = times.reduce<number>((least, at) => Math.min(least, at ?? least), Infinity);
  return {
    ...size,
    online: count('online'),
    offline: count('offline'),
    stale: count('stale'),
    never: count('never'),
    oldest: oldest === Infinity ? undefined : Math.max(0, now - oldest) / 1000,
    silent: times.filter((at) => at === null).length,
    shared: flawed('shared'),
    restarting: flawed('restarting'),
    contradicted: flawed('contradicted'),
  };
}

/** Starts of a connector's process within an hour, from which on it is restarting. */
export const restartingFrom = 5;

/** Reads a count such as `3` or a percentage from `0%` to `100%`; undefined for any other text. */
export function parseBound(text: string): Bound | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(%?)$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number(match[1]);
  if (match[2] === '%') return value <= 100 ? {value, unit: '%'} : undefined;
  return Number.isInteger(value) ? {value, unit: ''} : undefined;
}

/** The rules on one status each. */
export const statusRules: ReadonlySet<string | undefined> = new Set<RuleName>([
  'min-online',
  'max-offline',
  'max-stale',
  'max-never',
]);

/** The connectors that each rule counts, in words too; `max-age` compares seconds unless there are any. */
const figureOf = {
  'min-total': ['total', 'in all'],
  'min-online': ['online', 'are online'],
  'max-offline': ['offline', 'are offline'],
  'max-stale': ['stale', 'are stale'],
  'max-never': ['never', 'never sent a heartbeat'],
  'max-shared': ['shared', 'are shared by two processes'],
  'max-restarting': ['restarting', 'are restarting'],
  'max-contradicted': ['contradicted', 'are online by word alone'],
  'max-age': ['silent', 'never sent a heartbeat'],
} as const satisfies Record<RuleName, readonly [keyof CheckFigures, verb: string]>;

/**
 * Evaluates a fleet by one rule.
 *
 * @param scope the noun for the connectors in the message: `connectors`, or `expected connectors`
 */
export function evaluateRule(rule: Rule, figures: CheckFigures, scope: string): Finding {
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

function holds(name: RuleName, bound: Bound | undefined, figures: CheckFigures): boolean {
  if (bound === undefined) return true;
  const count = countOf(name, figures);
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
function countOf(name: RuleName, figures: CheckFigures): number {
  if (name !== 'max-age') return figures[figureOf[name][0]];
  return figures.silent > 0 ? Number.POSITIVE_INFINITY : (figures.oldest ?? 0);
}

function describe(
  name: RuleName,
  figures: CheckFigures,
  scope: string,
  bound: Bound | undefined,
): string {
  const [what, many] = figureOf[name];
  const count = figures[what];
  const verb = count === 1 ? many.replace(/^are /, 'is ') : many;
  if (name === 'min-total') return `${counted(count, 'connector')} ${verb}`;
  if (name === 'max-age') {
    if (count > 0)
      return `${figure(count)} of ${figure(figures.base)} ${scope} ${verb}, so that they have no age`;
    return figures.oldest === undefined
      ? 'there is no last heartbeat'
      : `the oldest last heartbeat is ${Math.ceil(figures.oldest)} s old`;
  }
  const share = figures.base === 0 ? '' : ` (${percentage(name, count, figures.base, bound)} %)`;
  return `${figure(count)} of ${figure(figures.base)} ${scope} ${verb}${share}`;
}

/**
 * The percentage with the decimals of its bound, at least one. A maximum rounds up and a minimum down, so that a
 * violated bound never looks as if it held; some connectors are never 0 %.
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

/** What a violated rule wants of a connector: `required: at least 95 % online`. */
export function requiredOf({name}: Rule, bound: Bound | undefined): string {
  const what = name === 'max-age' ? 'old' : predicateOf(figureOf[name][0]);
  return `required: ${requirement(name, bound)} ${what}`;
}

function measure({name, fail, warn}: Rule, figures: CheckFigures): Measurement | undefined {
  const count = countOf(name, figures);
  const isAge = name === 'max-age';
  if (isAge && (figures.oldest === undefined || figures.silent > 0)) return undefined;
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
