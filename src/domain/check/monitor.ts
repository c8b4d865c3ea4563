import * as z from 'zod/mini';
import {type Finding, findingStatuses} from './findings.js';
import {statusRules} from './sentence.js';

export const problemStatuses = ['error', 'fail', 'warn'] as const;

export const changes = ['began', 'lasts', 'ended'] as const;

/** A finding with the status `error`, `fail` or `warn`, as a monitor remembers it. */
const CheckProblem = z.object({
  id: z.string(),
  rule: z.optional(z.string()),
  subject: z.string(),
  /** The connector; undefined for a finding about the fleet, the inventory or the service. */
  connectorId: z.optional(z.string()),
  status: z.enum(problemStatuses),
  message: z.string(),
});
export type CheckProblem = z.infer<typeof CheckProblem>;

/** The start or the end of a problem, or a reminder of one that lasts. Times are in milliseconds since the Unix epoch. */
const MonitorEvent = z.object({
  /** Unique; a repeated delivery and a reminder have the id of the report that they repeat. */
  id: z.string(),
  change: z.enum(changes),
  at: z.number(),
  /** Start of the problem. */
  since: z.number(),
  problem: CheckProblem,
});
export type MonitorEvent = z.infer<typeof MonitorEvent>;

/** A problem, and its reports so far. Times are as in `MonitorEvent`. */
const Known = z.object({
  problem: CheckProblem,
  /** Time since which the problem has lasted without interruption. */
  since: z.number(),
  /** Time at which a warning became a failure; undefined once an event has reported it. */
  worseSince: z.optional(z.number()),
  /** The latest event; without an id if the baseline has the problem. Undefined before the first and after the end. */
  told: z.optional(z.object({id: z.optional(z.string()), at: z.number()})),
  /** The event that is not delivered yet; it replaces an earlier one. */
  waiting: z.optional(MonitorEvent),
  /** Whether an event about it was delivered, or the baseline has it: then its end has to be delivered too. */
  isDelivered: z.optional(z.literal(true)),
});
type Known = z.infer<typeof Known>;

/** The memory of a monitor between two observations. */
export const MonitorState = z.object({
  /** Whether an observation has read the fleet. The first one that does sets the baseline. */
  hasBaseline: z.boolean(),
  problems: z.readonly(z.array(Known)),
});
export type MonitorState = z.infer<typeof MonitorState>;

/** The state before the first observation. */
export const noState: MonitorState = {hasBaseline: false, problems: []};

/** The reported problems that have not ended. */
export const openIn = ({problems}: MonitorState): readonly CheckProblem[] =>
  problems.flatMap(({told, problem}) => (told === undefined ? [] : [problem]));

/** The events that wait for their delivery, in their order: at most one for each problem. */
export const waitingIn = ({problems}: MonitorState): readonly MonitorEvent[] =>
  problems.flatMap(({waiting}) => waiting ?? []).sort((one, other) => one.at - other.at);

/** The state after the delivery of all events. */
export function delivered({problems, ...rest}: MonitorState): MonitorState {
  const told = problems.filter(({waiting}) => waiting?.change !== 'ended');
  return {
    ...rest,
    problems: told.map(({waiting, ...one}) => (waiting ? {...one, isDelivered: true} : one)),
  };
}

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
  /** Milliseconds that a problem must last before it is reported. */
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
 * @returns the next state, and its new events
 */
export function updateState(
  before: MonitorState,
  {findings, isComplete, at}: Observation,
  {hold, reportsFirst, repeat, createId}: MonitorRules,
): {readonly state: MonitorState; readonly events: readonly MonitorEvent[]} {
  const isBaseline = isComplete && !before.hasBaseline && !reportsFirst;
  const gone = withKeys(before.problems, ({problem}) => problem);
  const events: MonitorEvent[] = [];
  const report = (one: Known, change: MonitorEvent['change'], id = createId()): Known => {
    const event = {id, change, at, since: one.since, problem: one.problem};
    events.push(event);
    // A reminder adds nothing to an event that waits.
    const waiting = change === 'lasts' ? (one.waiting ?? event) : event;
    return {...one, told: {id, at}, waiting};
  };
  const again = (one: Known): Known =>
    one.told?.id === undefined || at - one.told.at < repeat
      ? one
      : report(one, 'lasts', one.told.id);
  const ended = (one: Known): readonly Known[] => {
    const {told, worseSince, ...rest} = one.told === undefined ? one : report(one, 'ended');
    // A problem whose start was not delivered needs no event for its end.
    return rest.isDelivered && rest.waiting?.change === 'ended' ? [rest] : [];
  };
  const seen = [...withKeys(problemsIn(findings), (one) => one)].map(([key, problem]) => {
    const last = gone.get(key);
    gone.delete(key);
    return continued(last, problem, at, isBaseline);
  });
  const due = dueProblems(seen, at, hold);
  const present = seen.map((one) => {
    const isWorse = one.worseSince !== undefined && at - one.worseSince >= hold;
    if (!isWorse && !due.has(one)) return again(one);
    return {...report(one, 'began'), worseSince: undefined};
  });
  const down = downIn(findings);
  const rest = [...gone].flatMap(([key, one]) => {
    // Only an `error` is about the service itself; all else is unknown while the service cannot be read.
    if (!isComplete && one.problem.status !== 'error') return [one];
    return one.told !== undefined && down.has(key) ? [again(one)] : ended(one);
  });
  const hasBaseline = before.hasBaseline || isComplete;
  return {state: {hasBaseline, problems: [...present, ...rest]}, events};
}

/** Continues a problem of the last observation, or begins one. A clock that was set back must not delay an event. */
function continued(
  last: Known | undefined,
  problem: CheckProblem,
  at: number,
  isBaseline: boolean,
): Known {
  if (last === undefined || last.waiting?.change === 'ended') {
    const known = isBaseline && {told: {at}, isDelivered: true as const};
    return {...last, problem, since: at, ...known};
  }
  const {told, since} = last;
  const became = last.problem.status === 'warn' ? at : last.worseSince;
  const isWorse = told !== undefined && problem.status === 'fail' && became !== undefined;
  return {
    ...last,
    problem,
    since: Math.min(since, at),
    worseSince: isWorse ? Math.min(became, at) : undefined,
    told: told && {...told, at: Math.min(told.at, at)},
  };
}

/**
 * The problems that have lasted for `hold`, and are reported now. Problems that began within half of `hold`
 * after the first probably have the same cause: they are reported together, once the last has lasted for `hold`.
 */
function dueProblems(problems: readonly Known[], at: number, hold: number): ReadonlySet<Known> {
  const untold = problems.filter(({told}) => told === undefined).sort((a, b) => a.since - b.since);
  const due = new Set<Known>();
  for (let start = 0; start < untold.length; ) {
    const end = (untold[start]?.since ?? 0) + hold / 2;
    const group = untold.slice(start).filter(({since}) => since <= end);
    start += group.length;
    if (at - (group.at(-1)?.since ?? at) >= hold) for (const one of group) due.add(one);
  }
  return due;
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
  // In the order of the schema, so that equal states have equal JSON texts.
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
  return problemStatuses.some((status) => status === finding.status);
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

/** Maps items by the key of their problem; a count distinguishes equal keys. */
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
