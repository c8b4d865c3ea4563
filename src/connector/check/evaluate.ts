import {
  type ConnectorField,
  connectorField,
  readingOf,
  sentFor,
  unreadable,
} from '../../client/read/connector.js';
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

/** The hint when a service does not send a field that a rule needs. */
const withoutField = {
  status: 'Use --online-within 3m, if the service sends last heartbeats, or --min-total alone.',
  last_heartbeat_at:
    'Use --max-offline and the other rules on the status, if the service sends one.',
} as const;

/** Requires a usable field. @param need the rule that needs it, as messages name it. @throws AppError `protocol` */
function requireKnown(need: string, sent: JsonObject, field: keyof typeof withoutField): void {
  const value = connectorField[field](sent);
  const word = String(value).toLowerCase();
  const isKnown = field !== 'status' || connectorStatuses.some((status) => status === word);
  if (value !== undefined && isKnown) return;
  requireReadable(`evaluate ${need}`, sent, field);
  const id = connectorField.id(sent);
  const what =
    value === undefined
      ? `connector ${id} has no \`${field}\``
      : `the \`${sentFor(sent, field)?.field}\` of connector ${id} is ${JSON.stringify(value)}, which is not a known status`;
  const hint = withoutField[field];
  throw new AppError('protocol', `Cannot evaluate ${need}: ${what}.`, {hint});
}

/**
 * Evaluates a fleet.
 *
 * @param now the service's clock in milliseconds since the Unix epoch, or this machine's where that is not known
 * @throws AppError `protocol` when a needed field is missing or cannot be used
 */
export function evaluateConnectors(
  connectors: readonly JsonObject[],
  {rules, expected, source = 'the inventory', allowUnexpected, namesAllDown, name: globs}: Criteria,
  now: number,
): readonly Finding[] {
  const isWanted = nameMatcher(globs);
  const ofStatus = rules.find(({name}) => statusRules.has(name));
  const needsState = expected?.some(({state}) => state === 'online') && 'the state online';
  const statusNeed = ofStatus ? `--${ofStatus.name}` : needsState;
  const needsAge = rules.some(({name}) => name === 'max-age');
  const members: Member[] = [];
  const revoked = new Set<string>();
  const leftOut = new Set<string>();
  let unheard = 0;
  for (const sent of connectors) {
    const reading = readingOf(sent);
    const {id, name, lastHeartbeatAt: at} = reading;
    if (globs !== undefined) requireReadable('evaluate --name', sent, 'name');
    if (globs !== undefined && !isWanted(name)) {
      leftOut.add(id);
      continue;
    }
    const status = reading.status?.toLowerCase();
    if (statusNeed) requireKnown(statusNeed, sent, 'status');
    if (status === 'revoked') {
      revoked.add(id);
      continue;
    }
    if (needsAge) requireKnown('--max-age', sent, 'last_heartbeat_at');
    if (status === 'online' && at === undefined && unreadable(sent, 'last_heartbeat_at')) unheard++;
    const lastHeartbeatAt = at === null ? null : at?.getTime();
    members.push({id, name, status, lastHeartbeatAt, flaws: [...flawsOf(reading, now)]});
  }
  const options = {allowUnexpected, isWanted, source};
  const comparison = expected && compareInventory(expected, {members, revoked, leftOut}, options);
  const expectedMembers = comparison?.members ?? members;
  const size = {total: members.length, base: comparison?.size ?? members.length};
  const scope = expected === undefined ? 'connectors' : 'expected connectors';
  const evaluated = rules
    .map((rule) => {
      const figures = figuresOf(rule.name, expectedMembers, size, now);
      return {rule, finding: evaluateRule(rule, figures, scope)};
    })
    .filter(({rule, finding}) => !rule.isImplied || finding.status !== 'pass');
  const verb = revoked.size === 1 ? 'is' : 'are';
  const unread = `the last heartbeats of ${counted(unheard, 'connector')} cannot be read, so no status is compared with them`;
  return [
    ...evaluated.map(({finding}) => finding),
    ...(comparison === undefined ? [] : evaluateInventory(comparison, globs !== undefined)),
    ...instances(evaluated, expectedMembers, now, namesAllDown),
    ...noted(
      'revoked',
      revoked.size,
      `${counted(revoked.size, 'revoked connector')} ${verb} not counted`,
    ),
    ...noted('unheard', unheard, unread),
  ];
}

/** A finding about the fleet that is not evaluated; none if it concerns no connector. */
const noted = (id: string, count: number, message: string): readonly Finding[] =>
  count === 0 ? [] : [{id, subject: 'fleet', status: 'info', message}];

/** The inventory as one finding, then its entries. */
function evaluateInventory(comparison: Comparison, isFiltered: boolean): readonly Finding[] {
  const {findings, isEmpty} = comparison;
  const failed = findings.filter(({status}) => status === 'fail').length;
  const status = failed === 0 && !isEmpty ? 'pass' : 'fail';
  const message = inventoryMessage(comparison, failed, isFiltered);
  const measurement = {value: failed, unit: '', critical: {max: 0}} as const;
  return [{id: 'expected', subject: 'fleet', status, message, measurement}, ...findings];
}

function inventoryMessage(
  {findings, size, isEmpty}: Comparison,
  failed: number,
  isFiltered: boolean,
): string {
  const nothing = isFiltered
    ? 'no entry of the inventory matches --name'
    : 'the inventory is empty';
  if (isEmpty) return `${nothing}; required: at least one connector`;
  const inventory = `the inventory of ${counted(size, 'connector')}`;
  if (failed === 0) return `the fleet matches ${inventory}`;
  const all = `${counted(failed, 'difference')} from ${inventory}; required: none`;
  const missing = findings.filter(({id}) => id === 'missing');
  if (size === 0 || missing.length < size) return all;
  return missing.every(({details}) => details?.['id'] !== undefined)
    ? `${all}; the service has none of its ids: if another system gave them, remove them to compare names`
    : `${all}; the service has none of its connectors`;
}

/** A rule, and its result. */
interface Evaluated {
  readonly rule: Rule;
  readonly finding: Finding;
}

/** Findings for the connectors behind the broken rules; with `namesAllDown` also for others that are not online. */
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

/** The flaws of a connector; an unreadable field counts as a flaw. @param now as in `evaluateConnectors` */
function* flawsOf(reading: ConnectorReading, now: number): Generator<Flaw> {
  const {raw, identitySharedAt, startsLastHour = 0} = reading;
  const isUnread = (field: ConnectorField) => unreadable(raw, field) !== undefined;
  // Processes that share an identity cause many starts too, although none of them has ended.
  if (identitySharedAt !== undefined || isUnread('identity_shared_at')) yield 'shared';
  else if (startsLastHour >= restartingFrom || isUnread('starts_last_hour')) yield 'restarting';
  if (isOnlineByWordAlone(reading, now)) yield 'contradicted';
}

/** @param cause the broken rule; undefined if the status of the connector breaks no rule */
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
