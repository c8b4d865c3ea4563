import type {Finding} from './findings.js';

/** A finding that is not a pass, as a monitor remembers it. */
export type Problem = Pick<Finding, 'id' | 'message' | 'rule' | 'subject'> & {
  /** The connector; undefined for a finding about the fleet, the inventory or the service. */
  readonly connectorId?: string | undefined;
  readonly status: 'error' | 'fail' | 'warn';
};

/** A problem, and how long it has been there. */
export interface Tracked {
  readonly problem: Problem;
  /** When it was first found without a break, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Whether an event said that it began, or the baseline holds it. */
  readonly isKnown: boolean;
  /** When a known warning became a failure; undefined once an event said so. */
  readonly worseSince?: number | undefined;
}

/** Something that began or ended. */
export interface MonitorEvent {
  /** Unique; the same when the event is delivered again. */
  readonly id: string;
  readonly change: 'began' | 'ended';
  /** In milliseconds since the Unix epoch, as is `since`. */
  readonly at: number;
  readonly since: number;
  readonly problem: Problem;
}

/** What a monitor remembers between two looks. */
export interface MonitorState {
  /** Whether a look has read the fleet: what it found is no news. */
  readonly hasBaseline: boolean;
  readonly tracked: readonly Tracked[];
  /** Events in their order, until they are delivered. */
  readonly undelivered: readonly MonitorEvent[];
}

/** The state before the first look. */
export const noState: MonitorState = {hasBaseline: false, tracked: [], undelivered: []};

/** The findings of one look at the fleet. */
export interface Look {
  readonly findings: readonly Finding[];
  /** False when the service could not be read: its error is then the only finding. */
  readonly isComplete: boolean;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
}

/** How a monitor treats what it finds. */
export interface MonitorRules {
  /** Milliseconds that a problem lasts before it is reported. */
  readonly hold: number;
  /** Whether the problems of the first look are news. */
  readonly reportsFirst: boolean;
  /** Returns a unique id. */
  readonly createId: () => string;
}

/**
 * Compares a look with what is remembered. While the service cannot be read, nothing is known about the fleet: its
 * problems neither end nor begin.
 *
 * @returns the next state, with its new events at the end of `undelivered`; `isChanged` is false when nothing of it
 *   has to be saved
 */
export function remember(
  before: MonitorState,
  {findings, isComplete, at}: Look,
  {hold, reportsFirst, createId}: MonitorRules,
): {readonly state: MonitorState; readonly events: readonly MonitorEvent[]; isChanged: boolean} {
  const isBaseline = isComplete && !before.hasBaseline && !reportsFirst;
  const found = [...withKeys(problemsIn(findings), (one) => one)];
  const earlier = new Map(withKeys(before.tracked, ({problem}) => problem));
  const gone = new Map(earlier);
  for (const [key] of found) gone.delete(key);
  const goneOf = new Map([...gone.values()].map((one) => [one.problem.connectorId, one]));
  const events: MonitorEvent[] = [];
  const tracked: Tracked[] = [];
  const report = (change: MonitorEvent['change'], since: number, problem: Problem) => {
    events.push({id: createId(), change, at, since, problem});
  };
  for (const [key, problem] of found) {
    const last = earlier.get(key);
    // A connector that goes from stale to offline did not return in between.
    const {connectorId} = problem;
    const previous = last ?? (connectorId === undefined ? undefined : goneOf.get(connectorId));
    // A clock that was set back must not delay an event.
    const since = Math.min(previous?.since ?? at, at);
    const wasKnown = last?.isKnown ?? isBaseline;
    const worseSince = wasKnown ? worsening(last, problem, at) : undefined;
    const isWorse = worseSince !== undefined && at - worseSince >= hold;
    const isDue = !wasKnown && (previous?.isKnown === true || at - since >= hold);
    if (isDue || isWorse) report('began', since, problem);
    const isKnown = isDue || wasKnown;
    tracked.push({problem, since, isKnown, worseSince: isWorse ? undefined : worseSince});
  }
  for (const one of gone.values()) {
    const isFrozen = !isComplete && !isOfService(one.problem);
    if (isFrozen) tracked.push(one);
    else if (one.isKnown) report('ended', one.since, one.problem);
  }
  const state = {
    hasBaseline: before.hasBaseline || isComplete,
    tracked,
    undelivered: [...before.undelivered, ...events],
  };
  return {state, events, isChanged: differs(before, state)};
}

/** When a problem went from a warning to a failure, unless that was told. */
function worsening(last: Tracked | undefined, {status}: Problem, at: number): number | undefined {
  if (status !== 'fail') return undefined;
  return last?.problem.status === 'warn' ? at : last?.worseSince && Math.min(last.worseSince, at);
}

/** Whether a problem is that the service cannot be read. */
function isOfService({status}: Problem): boolean {
  return status === 'error';
}

/** What is wrong. A rule is not, besides the connectors that violate it: each change is told once. */
function problemsIn(findings: readonly Finding[]): readonly Problem[] {
  const bad = findings.filter(isProblem);
  const explained = new Set(bad.map(({rule}) => rule));
  return bad
    .filter(({id, rule}) => rule !== undefined || !explained.has(id))
    .map(({id, rule, subject, status, message, details}) => {
      const connectorId = details?.['id'];
      const known = typeof connectorId === 'string' ? connectorId : undefined;
      return {id, rule, subject, status, message, connectorId: known};
    });
}

function isProblem(finding: Finding): finding is Finding & Pick<Problem, 'status'> {
  return ['error', 'fail', 'warn'].includes(finding.status);
}

/** With keys that are the same from look to look. Names may repeat: so may what is found of them. */
function* withKeys<T>(
  all: readonly T[],
  problemIn: (one: T) => Problem,
): Generator<readonly [string, T]> {
  const seen = new Map<string, number>();
  for (const one of all) {
    const {id, rule, subject, connectorId} = problemIn(one);
    const name = JSON.stringify([rule, id, connectorId ?? subject]);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    yield [`${name}${count}`, one];
  }
}

function differs(before: MonitorState, after: MonitorState): boolean {
  const shape = ({hasBaseline, tracked, undelivered}: MonitorState) =>
    JSON.stringify([
      hasBaseline,
      undelivered.length,
      tracked.map(({problem: {id, rule, subject, connectorId, status}, ...times}) => [
        [id, rule, subject, connectorId, status],
        [times.since, times.isKnown, times.worseSince],
      ]),
    ]);
  return shape(before) !== shape(after);
}
