import * as z from 'zod/mini';
import {type Finding, findingStatuses} from './findings.js';
import {statusRules} from './rules.js';

/** A finding with the status `error`, `fail` or `warn`, as a monitor remembers it. */
const CheckProblem = z.object({
  id: z.string(),
  rule: z.optional(z.string()),
  subject: z.string(),
  /** The connector; undefined for a finding about the fleet, the inventory or the service. */
  connectorId: z.optional(z.string()),
  status: z.enum(['error', 'fail', 'warn']),
  message: z.string(),
});
export type CheckProblem = z.infer<typeof CheckProblem>;

/** A problem that has not ended, and its history. Times are in milliseconds since the Unix epoch. */
const OpenProblem = z.object({
  problem: CheckProblem,
  /** Start of its current uninterrupted presence. */
  since: z.number(),
  /** Whether an event has reported its start, or the baseline includes it. */
  isKnown: z.boolean(),
  /** Time at which a known warning became a failure; undefined once an event has reported it. */
  worseSince: z.optional(z.number()),
  /** The event that reported it, and the time of the latest report; undefined for a problem of the baseline. */
  told: z.optional(z.object({id: z.string(), at: z.number()})),
});
type OpenProblem = z.infer<typeof OpenProblem>;

/** The start or the end of a problem, or a reminder of one that lasts. Times are as in `OpenProblem`. */
const MonitorEvent = z.object({
  /** Unique; a repeated delivery and a reminder have the id of the report that they repeat. */
  id: z.string(),
  change: z.enum(['began', 'lasts', 'ended']),
  at: z.number(),
  /** Start of the problem. */
  since: z.number(),
  problem: CheckProblem,
  /** Whether the problem was known before: it is worse now, or lasts. */
  isAgain: z.boolean(),
});
export type MonitorEvent = z.infer<typeof MonitorEvent>;

/** The memory of a monitor between two observations. */
export const MonitorState = z.object({
  /** Whether an observation has read the fleet. The first one that does sets the baseline. */
  hasBaseline: z.boolean(),
  open: z.readonly(z.array(OpenProblem)),
  /** Events in their order, until they are delivered. */
  undelivered: z.readonly(z.array(MonitorEvent)),
});
export type MonitorState = z.infer<typeof MonitorState>;

/** The state before the first observation. */
export const noState: MonitorState = {hasBaseline: false, open: [], undelivered: []};

/** One reading of the fleet and its findings. */
export interface Observation {
  readonly findings: readonly Finding[];
  /** False when the service could not be read: its error is then the only finding. */
  readonly isComplete: boolean;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The rules for the reports of a monitor. */
export interface MonitorRules {
  /** Milliseconds that a problem lasts before it is reported. */
  readonly hold: number;
  /** Whether the problems of the first observation are reported. */
  readonly reportsFirst: boolean;
  /** Milliseconds after which a reported problem that lasts is reported again. */
  readonly repeat: number;
  /** Returns a unique id. */
  readonly createId: () => string;
}

/**
 * Compares an observation with the state before it. While the service cannot be read, problems of the fleet neither
 * begin nor end, because nothing is known about it.
 *
 * @returns the next state, with its new events at the end of `undelivered`
 */
export function updateState(
  before: MonitorState,
  {findings, isComplete, at}: Observation,
  {hold, reportsFirst, repeat, createId}: MonitorRules,
): {readonly state: MonitorState; readonly events: readonly MonitorEvent[]} {
  const isBaseline = isComplete && !before.hasBaseline && !reportsFirst;
  const found = withKeys(problemsIn(findings), (one) => one);
  const gone = withKeys(before.open, ({problem}) => problem);
  const events: MonitorEvent[] = [];
  const report = (
    change: MonitorEvent['change'],
    {since, problem}: OpenProblem,
    isAgain = false,
    id = createId(),
  ) => {
    events.push({id, change, at, since, problem, isAgain});
    return {id, at};
  };
  const again = (one: OpenProblem): OpenProblem =>
    one.told === undefined || at - one.told.at < repeat
      ? one
      : {...one, told: report('lasts', one, true, one.told.id)};
  const seen = [...found].map(([key, problem]) => {
    const last = gone.get(key);
    gone.delete(key);
    return advanced(last, problem, {at, isBaseline, hold});
  });
  const due = dueProblems(seen, at, hold);
  const open = seen.map(({isWorse, ...one}) =>
    due.has(one.problem) || isWorse
      ? {...one, isKnown: true, told: report('began', one, isWorse)}
      : again(one),
  );
  const down = downIn(findings);
  for (const [key, one] of gone) {
    // Only an `error` is about the service itself; all else is unknown while the service cannot be read.
    const isUnseen = !isComplete && one.problem.status !== 'error';
    if (isUnseen) open.push(one);
    else if (one.isKnown && down.has(key)) open.push(again(one));
    else if (one.isKnown) report('ended', one);
  }
  const state = {
    hasBaseline: before.hasBaseline || isComplete,
    open,
    undelivered: folded(before.undelivered, events),
  };
  return {state, events};
}

/** Merges a current problem with its state from the last observation. */
function advanced(
  last: OpenProblem | undefined,
  problem: CheckProblem,
  {at, isBaseline, hold}: {at: number; isBaseline: boolean; hold: number},
): OpenProblem & {readonly isWorse: boolean} {
  const isKnown = last?.isKnown ?? isBaseline;
  const worseSince = isKnown ? worsening(last, problem, at) : undefined;
  const isWorse = worseSince !== undefined && at - worseSince >= hold;
  return {
    problem,
    // A clock that was set back must not delay an event.
    since: Math.min(last?.since ?? at, at),
    isKnown,
    worseSince: isWorse ? undefined : worseSince,
    told: last?.told && {id: last.told.id, at: Math.min(last.told.at, at)},
    isWorse,
  };
}

/**
 * The problems that have lasted for `hold`, and are reported now. Those that began within half of `hold` after the
 * first of them probably have the same cause: they are reported together, once the last of them has lasted.
 */
function dueProblems(
  open: readonly OpenProblem[],
  at: number,
  hold: number,
): ReadonlySet<CheckProblem> {
  const waiting = open.filter(({isKnown}) => !isKnown).sort((a, b) => a.since - b.since);
  const due = new Set<CheckProblem>();
  for (let start = 0; start < waiting.length; ) {
    const end = (waiting[start]?.since ?? 0) + hold / 2;
    const group = waiting.slice(start).filter(({since}) => since <= end);
    start += group.length;
    if (at - (group.at(-1)?.since ?? at) < hold) continue;
    for (const {problem} of group) due.add(problem);
  }
  return due;
}

/**
 * Adds events to the undelivered ones. If a problem ends before the report of its start is delivered, neither event
 * remains, so open and reported problems bound the number of undelivered events.
 */
function folded(
  undelivered: readonly MonitorEvent[],
  events: readonly MonitorEvent[],
): readonly MonitorEvent[] {
  const waiting = new Set(undelivered);
  const keyOfEvent = ({problem, since}: MonitorEvent) => `${since}${keyOf(problem)}`;
  const open = new Map(
    undelivered.filter(({change}) => change !== 'ended').map((one) => [keyOfEvent(one), one]),
  );
  for (const event of events) {
    const outdated = open.get(keyOfEvent(event));
    // The pending event already reports the problem.
    if (event.change === 'lasts' && outdated !== undefined) continue;
    // The problem is worse now, or over: either way, the pending event is out of date.
    if (outdated !== undefined) waiting.delete(outdated);
    const isAgain = outdated?.isAgain ?? event.isAgain;
    if (event.change !== 'ended') waiting.add({...event, isAgain});
    else if (outdated === undefined || isAgain) waiting.add(event);
  }
  return [...waiting];
}

/** Time at which a problem turned from a warning into a failure, unless an event has reported it. */
function worsening(
  last: OpenProblem | undefined,
  {status}: CheckProblem,
  at: number,
): number | undefined {
  if (status !== 'fail') return undefined;
  return last?.problem.status === 'warn' ? at : last?.worseSince && Math.min(last.worseSince, at);
}

/** The problems, without findings about the fleet that only sum up findings about connectors. */
function problemsIn(findings: readonly Finding[]): readonly CheckProblem[] {
  const bad = findings.filter(isProblem);
  return bad
    .filter((one) => one.rule !== undefined || !bad.some((other) => explains(other, one)))
    .map(problemOf);
}

function problemOf<T extends Finding>({id, rule, subject, status, message, details}: T) {
  const own = details?.['id'];
  const connectorId = typeof own === 'string' ? own : undefined;
  // In the order of the schema, so that a saved state and the same one found again have one text.
  return {id, rule, subject, connectorId, status: status as T['status'], message};
}

/** The keys of connectors that are not online although no rule is broken any more: their reported problems continue. */
function downIn(findings: readonly Finding[]): ReadonlySet<string> {
  const down = findings.filter(({status, rule}) => status === 'info' && rule !== undefined);
  return new Set(withKeys(down.map(problemOf), (one) => one).keys());
}

/** Whether a finding about a connector is one of those that a finding about the fleet sums up. */
function explains(one: Finding & Pick<CheckProblem, 'status'>, sum: typeof one): boolean {
  const [own = 0, summed = 0] = [one, sum].map(({status}) => findingStatuses.indexOf(status));
  if (one.rule === undefined || own > summed) return false;
  return one.rule === sum.id || (sum.id === 'min-online' && statusRules.has(one.rule));
}

function isProblem(finding: Finding): finding is Finding & Pick<CheckProblem, 'status'> {
  return ['error', 'fail', 'warn'].includes(finding.status);
}

/**
 * The key of a problem. It stays the same between observations. A connector that turns from stale to offline violates
 * another rule, but stays one problem.
 */
function keyOf({id, rule, subject, connectorId}: Omit<CheckProblem, 'status'>): string {
  return connectorId !== undefined && statusRules.has(rule)
    ? JSON.stringify(['status', connectorId])
    : JSON.stringify([rule, id, connectorId ?? subject]);
}

/** Items by the key of their problem; a count distinguishes equal keys. */
function withKeys<T>(
  all: readonly T[],
  problemIn: (one: T) => Omit<CheckProblem, 'status'>,
): Map<string, T> {
  const seen = new Map<string, number>();
  const found = new Map<string, T>();
  for (const one of all) {
    const key = keyOf(problemIn(one));
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    found.set(`${key}${count}`, one);
  }
  return found;
}
