import {type ConnectorField, readingOf, unreadable} from '../../client/read/connector.js';
import type {ConnectorReading} from '../../client/types.js';
import {connectorStatuses} from '../../contract/limits.js';
import type {Finding} from '../../domain/check/findings.js';
import {
  type Comparison,
  compareInventory,
  type Expected,
  type Member,
} from '../../domain/check/inventory.js';
import {
  decisiveBound,
  evaluateRule,
  figuresOf,
  type Rule,
  requiredOf,
} from '../../domain/check/rules.js';
import {
  connectorFinding,
  type Flaw,
  restartingFrom,
  ruleTable,
  statusRules,
} from '../../domain/check/sentence.js';
import {nameMatcher} from '../../domain/glob.js';
import type {JsonObject} from '../../domain/json.js';
import {counted} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import {relativePast} from '../../terminal/time.js';
import {requireReadable} from '../fields/known-names.js';
import {isOnlineByWordAlone} from '../online-within.js';

/** The criteria for a fleet. */
export interface Criteria {
  readonly rules: readonly Rule[];
  /** The connectors that should exist; undefined without an inventory. */
  readonly expected: readonly Expected[] | undefined;
  /** The inventory in messages, such as its path; default: `the inventory`. */
  readonly source?: string | undefined;
  /** Whether connectors outside the inventory are allowed. */
  readonly allowUnexpected: boolean;
  /** Whether to name connectors that are not online even if no rule is broken: a monitor may have reported them. */
  readonly namesAllDown?: boolean;
  /** Globs for the names of connectors and entries, one of which must match; undefined selects all. */
  readonly name: readonly string[] | undefined;
}

const known: ReadonlySet<string> = new Set(connectorStatuses);

/**
 * Evaluates a fleet.
 *
 * @param now the service's clock in milliseconds since the Unix epoch, or this machine's where that is not known
 * @throws AppError `protocol` when a rule needs a field that the service does not send
 */
export function evaluateConnectors(
  connectors: readonly JsonObject[],
  {rules, expected, source = 'the inventory', allowUnexpected, namesAllDown, name: globs}: Criteria,
  now: number,
): readonly Finding[] {
  const isWanted = nameMatcher(globs);
  const statusRule = needOfStatus(rules, expected);
  const needsAge = rules.some(({name}) => name === 'max-age');
  const members: Member[] = [];
  const revoked = new Set<string>();
  const leftOut = new Set<string>();
  let unheard = 0;
  for (const sent of connectors) {
    const connector = readingOf(sent);
    const {id, name} = connector;
    if (globs !== undefined) requireReadable('evaluate --name', sent, 'name');
    if (globs !== undefined && !isWanted(name)) {
      leftOut.add(id);
      continue;
    }
    const status = connector.status?.toLowerCase();
    if (statusRule !== undefined) {
      requireReadable(`evaluate ${statusRule}`, sent, 'status');
      checkStatus(statusRule, id, status);
    }
    if (status === 'revoked') {
      revoked.add(id);
      continue;
    }
    if (needsAge) {
      requireReadable('evaluate --max-age', sent, 'last_heartbeat_at');
      checkTime(connector);
    }
    const at = connector.lastHeartbeatAt;
    if (status === 'online' && at === undefined && unreadable(sent, 'last_heartbeat_at')) unheard++;
    members.push({
      ...{id, name, status, lastHeartbeatAt: at === null ? null : at?.getTime()},
      flaws: [...flawsOf(connector, now)],
    });
  }
  const options = {allowUnexpected, isWanted, source};
  const comparison = expected && compareInventory(expected, {members, revoked, leftOut}, options);
  const expectedMembers = comparison?.members ?? members;
  const size = {total: members.length, base: comparison?.size ?? members.length};
  const figures = figuresOf(expectedMembers, size, now);
  const scope = expected === undefined ? 'connectors' : 'expected connectors';
  const evaluated = rules
    .map((rule) => ({rule, finding: evaluateRule(rule, figures, scope)}))
    .filter(({rule, finding}) => !rule.isImplied || finding.status !== 'pass');
  return [
    ...evaluated.map(({finding}) => finding),
    ...(comparison === undefined ? [] : evaluateInventory(comparison, globs !== undefined)),
    ...instances(evaluated, expectedMembers, now, namesAllDown),
    ...(revoked.size === 0 ? [] : [notCounted(revoked.size)]),
    ...(unheard === 0 ? [] : [notCompared(unheard)]),
  ];
}

/** The rule or flag that needs a status, as messages name it; undefined if none does. */
function needOfStatus(
  rules: readonly Rule[],
  expected: readonly Expected[] | undefined,
): string | undefined {
  const rule = rules.find(({name}) => statusRules.has(name));
  if (rule !== undefined) return `--${rule.name}`;
  return expected?.some(({state}) => state === 'online') ? 'the state online' : undefined;
}

function checkStatus(need: string, id: string, status: string | undefined): void {
  if (status !== undefined && known.has(status)) return;
  const what =
    status === undefined
      ? `connector ${id} has no \`status\``
      : `the \`status\` of connector ${id} is ${JSON.stringify(status)}, which is not a known status`;
  throw new AppError('protocol', `Cannot evaluate ${need}: ${what}.`, {
    hint: 'Use --online-within 3m, if the service sends `last_heartbeat_at`, or --min-total alone.',
  });
}

function checkTime({id, lastHeartbeatAt}: ConnectorReading): void {
  if (lastHeartbeatAt !== undefined) return;
  const message = `Cannot evaluate --max-age: connector ${id} has no \`last_heartbeat_at\`.`;
  throw new AppError('protocol', message, {
    hint: 'Use --max-offline and the other rules on the status, if the service sends one.',
  });
}

/** The inventory as one finding, then its entries. */
function evaluateInventory(
  {findings, size, isEmpty}: Comparison,
  isFiltered: boolean,
): readonly Finding[] {
  const failed = findings.filter(({status}) => status === 'fail').length;
  const missing = findings.filter(({id}) => id === 'missing');
  const isForeign = size > 0 && missing.length === size;
  const haveIds = missing.every(({details}) => details?.['id'] !== undefined);
  const foreign = haveIds
    ? '; none of its ids is at the service: remove those of another system, and names are compared'
    : '; none of its connectors is at the service';
  const emptiness = isFiltered
    ? 'no entry of the inventory matches --name'
    : 'the inventory is empty';
  const whole: Finding = {
    id: 'expected',
    subject: 'fleet',
    status: failed === 0 && !isEmpty ? 'pass' : 'fail',
    message: isEmpty
      ? `${emptiness}; required: at least one connector`
      : `${inventoryMessage(size, failed)}${isForeign ? foreign : ''}`,
    measurement: {value: failed, unit: '', critical: {max: 0}},
  };
  return [whole, ...findings];
}

function inventoryMessage(size: number, failed: number): string {
  const inventory = `the inventory of ${counted(size, 'connector')}`;
  if (failed === 0) return `the fleet matches ${inventory}`;
  return `${counted(failed, 'difference')} from ${inventory}; required: none`;
}

function notCounted(revoked: number): Finding {
  const message = `${counted(revoked, 'revoked connector')} ${revoked === 1 ? 'is' : 'are'} not counted`;
  return {id: 'revoked', subject: 'fleet', status: 'info', message};
}

function notCompared(count: number): Finding {
  const message = `the last heartbeats of ${counted(count, 'connector')} cannot be read, so no status is compared with them`;
  return {id: 'unheard', subject: 'fleet', status: 'info', message};
}

/** A rule, and its result. */
interface Evaluated {
  readonly rule: Rule;
  readonly finding: Finding;
}

/** A finding for each connector and broken rule; with `namesAllDown` also for other connectors that are not online. */
function* instances(
  evaluated: readonly Evaluated[],
  members: readonly Member[],
  now: number,
  namesAllDown = false,
): Generator<Finding> {
  const broken = new Map<string, Evaluated>(
    evaluated.flatMap((one) => (one.finding.status === 'pass' ? [] : [[one.rule.name, one]])),
  );
  const age = broken.get('max-age');
  const limit = age && decisiveBound(age.rule, age.finding.status)?.value;
  for (const member of members) {
    const {status = 'unknown', lastHeartbeatAt: at, flaws} = member;
    const isOnline = status === 'online';
    const cause = broken.get(`max-${status}`) ?? (isOnline ? undefined : broken.get('min-online'));
    if (cause !== undefined || (namesAllDown && !isOnline))
      yield instance(member, status, cause, now);
    for (const flaw of flaws) {
      const flawed = broken.get(`max-${flaw}`);
      if (flawed !== undefined) yield instance(member, flaw, flawed, now);
    }
    if (age === undefined || limit === undefined || at === undefined) continue;
    if (at === null || (now - at) / 1000 > limit) yield instance(member, 'too-old', age, now);
  }
}

/** What is wrong with a connector; what cannot be read counts as wrong. @param now as in `evaluateConnectors` */
function* flawsOf(reading: ConnectorReading, now: number): Generator<Flaw> {
  const {raw, identitySharedAt, startsLastHour = 0} = reading;
  const isUnread = (field: ConnectorField) => unreadable(raw, field) !== undefined;
  // Many processes at once are many starts too, but none of them ended.
  if (identitySharedAt !== undefined || isUnread('identity_shared_at')) yield 'shared';
  else if (startsLastHour >= restartingFrom || isUnread('starts_last_hour')) yield 'restarting';
  if (isOnlineByWordAlone(reading, now)) yield 'contradicted';
}

/** @param cause the broken rule; undefined for a connector that is not online although no rule is broken */
function instance(
  {id, name, lastHeartbeatAt: at}: Member,
  check: string,
  cause: Evaluated | undefined,
  now: number,
): Finding {
  const status = cause?.finding.status ?? 'info';
  const never = check === 'never' || at === undefined ? undefined : 'no heartbeat yet';
  const seen = at ? `last heartbeat ${relativePast(new Date(at), now)}` : never;
  const advice = cause && ruleTable[cause.rule.name].advice;
  return connectorFinding(check, {
    ...{id, name, status, rule: cause?.rule.name ?? 'min-online'},
    found: [seen, advice].filter(Boolean).join('; '),
    wanted: cause && requiredOf(cause.rule, decisiveBound(cause.rule, status)),
    details: {last_heartbeat_at: typeof at === 'number' ? new Date(at).toISOString() : null},
  });
}
