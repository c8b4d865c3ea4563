import type {ConnectorReading} from '../../../client/types.js';
import {connectorStatuses} from '../../../contract/limits.js';
import {batchesOf} from '../../../domain/batches.js';
import type {Finding} from '../../../domain/findings.js';
import {type FleetFigures, judge, type Rule, statusOfRule} from '../../../domain/fleet-rules.js';
import {type Expected, Inventory} from '../../../domain/inventory.js';
import {AppError} from '../../../errors.js';
import {relativeTime} from '../../../render/time.js';

/** What a fleet is judged by. */
export interface Criteria {
  readonly rules: readonly Rule[];
  /** The connectors that should exist; undefined without an inventory. */
  readonly expected: readonly Expected[] | undefined;
  /** Whether connectors outside the inventory are allowed. */
  readonly allowUnexpected: boolean;
}

/** A connector that may become a finding, reduced to the fields that a finding shows. */
interface Suspect {
  readonly id: string;
  readonly name: string | undefined;
  readonly status: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly lastHeartbeatAt: number | undefined;
}

const known: ReadonlySet<string> = new Set(connectorStatuses);

/**
 * Judges a fleet while it is read. Keeps in memory only the inventory and the connectors that may become
 * findings.
 *
 * @param serviceTime the service's clock, once the first connector was read
 * @throws AppError `protocol` when a rule needs a field that the service does not send
 */
export async function judgeFleet(
  connectors: AsyncIterable<ConnectorReading>,
  {rules, expected, allowUnexpected}: Criteria,
  serviceTime: () => Date | undefined,
): Promise<readonly Finding[]> {
  const inventory = expected && new Inventory(expected, allowUnexpected);
  const statusRule = rules.find(({name}) => statusOfRule(name) !== undefined);
  const judgesAge = rules.some(({name}) => name === 'max-age');
  const counts = {online: 0, offline: 0, stale: 0, never: 0};
  const suspects: Suspect[] = [];
  const offStates: Finding[] = [];
  let total = 0;
  let oldest: number | undefined;
  for await (const batch of batchesOf(connectors)) {
    for (const connector of batch) {
      total += 1;
      const status = connector.status?.toLowerCase();
      if (statusRule !== undefined) checkStatus(statusRule, connector, status);
      if (judgesAge) checkTime(connector, serviceTime());
      const entry = inventory?.match(connector);
      if (inventory !== undefined && (entry === undefined || entry.state === 'absent')) continue;
      if (status !== undefined && status in counts) counts[status as keyof typeof counts] += 1;
      // Here, because reading the time is slow and few rules need it.
      if (status === 'online' && !judgesAge) continue;
      const at = connector.lastHeartbeatAt?.getTime();
      if (at !== undefined && at < (oldest ?? Number.POSITIVE_INFINITY)) oldest = at;
      const suspect = {id: connector.id, name: connector.name, status, lastHeartbeatAt: at};
      if (entry?.state === 'online' && status !== 'online') offStates.push(notOnline(suspect));
      suspects.push(suspect);
    }
  }
  const now = serviceTime()?.getTime();
  const figures: FleetFigures = {
    ...counts,
    total,
    base: inventory?.size ?? total,
    oldest:
      oldest === undefined || now === undefined ? undefined : Math.max(0, (now - oldest) / 1000),
  };
  const scope = inventory === undefined ? 'connectors' : 'expected connectors';
  const judged = rules.map((rule) => ({rule, finding: judge(rule, figures, scope)}));
  return [
    ...judged.map(({finding}) => finding),
    ...(inventory === undefined ? [] : judgeInventory(inventory, offStates)),
    ...instances(judged, suspects, now),
  ];
}

function checkStatus(rule: Rule, {id}: ConnectorReading, status: string | undefined): void {
  if (status !== undefined && known.has(status)) return;
  const what =
    status === undefined
      ? `connector ${id} has no \`status\``
      : `the \`status\` of connector ${id} is ${JSON.stringify(status)}, which is not a known status`;
  throw new AppError('protocol', `Cannot judge --${rule.name}: ${what}.`, {
    hint: 'Judge by --max-age and --min-total alone, if the service sends `last_heartbeat_at`.',
  });
}

function checkTime({id, lastHeartbeatAt}: ConnectorReading, now: Date | undefined): void {
  if (lastHeartbeatAt !== undefined && now !== undefined) return;
  const missing =
    lastHeartbeatAt === undefined
      ? `connector ${id} has no \`last_heartbeat_at\``
      : 'the service sends no `Date` header, so its clock is not known';
  throw new AppError('protocol', `Cannot judge --max-age: ${missing}.`, {
    hint: 'Judge by --max-offline and the other rules on the status, if the service sends one.',
  });
}

/** The inventory as one finding, then its entries. */
function judgeInventory(inventory: Inventory, offStates: readonly Finding[]): readonly Finding[] {
  const entries = inventory.findings().concat(offStates);
  const failed = entries.filter(({status}) => status === 'fail').length;
  const whole: Finding = {
    id: 'expected',
    subject: 'fleet',
    status: failed === 0 && !inventory.isEmpty ? 'pass' : 'fail',
    message: inventoryMessage(inventory, failed),
    measurement: {value: failed, unit: '', critical: {max: 0}},
  };
  return [whole, ...entries];
}

function inventoryMessage({isEmpty, size}: Inventory, failed: number): string {
  if (isEmpty) return 'the inventory is empty; required: at least one connector';
  if (failed === 0) return `the fleet matches the inventory of ${size} connectors`;
  const differences = failed === 1 ? '1 difference' : `${failed} differences`;
  return `${differences} from the inventory of ${size} connectors; required: none`;
}

function notOnline(suspect: Suspect): Finding {
  return {
    id: suspect.status ?? 'unknown',
    rule: 'expected',
    subject: suspect.name ?? suspect.id,
    status: 'fail',
    message: `${suspect.name ?? suspect.id} (expected online)`,
    details: {id: suspect.id},
  };
}

/** The connectors that violate the failed rules, each below one rule. */
function* instances(
  judged: readonly {readonly rule: Rule; readonly finding: Finding}[],
  suspects: readonly Suspect[],
  now: number | undefined,
): Generator<Finding> {
  const broken = judged.filter(({finding}) => finding.status !== 'pass');
  const brokenRule = (name: string) => broken.find(({rule}) => rule.name === name);
  const age = brokenRule('max-age');
  const limit = (age?.rule.fail ?? age?.rule.warn)?.value;
  for (const suspect of suspects) {
    const cause =
      brokenRule(`max-${suspect.status}`) ??
      (suspect.status === 'online' ? undefined : brokenRule('min-online'));
    if (cause !== undefined) yield instance(suspect, suspect.status ?? 'unknown', cause, now);
    const at = suspect.lastHeartbeatAt;
    if (age === undefined || limit === undefined || at === undefined || now === undefined) continue;
    if ((now - at) / 1000 > limit) yield instance(suspect, 'too-old', age, now);
  }
}

function instance(
  {id, name, lastHeartbeatAt}: Suspect,
  check: string,
  {rule, finding}: {readonly rule: Rule; readonly finding: Finding},
  now: number | undefined,
): Finding {
  const subject = name ?? id;
  const when =
    lastHeartbeatAt === undefined || now === undefined
      ? ''
      : ` (last heartbeat ${relativeTime(new Date(lastHeartbeatAt), now)})`;
  return {
    id: check,
    rule: rule.name,
    subject,
    status: finding.status,
    message: `${subject}${when}`,
    details: {
      id,
      last_heartbeat_at:
        lastHeartbeatAt === undefined ? null : new Date(lastHeartbeatAt).toISOString(),
    },
  };
}
