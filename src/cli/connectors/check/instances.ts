import type {Finding} from '../../../domain/fleet/findings.js';
import type {Member} from '../../../domain/fleet/inventory.js';
import {decisiveBound, type Rule} from '../../../domain/fleet/rules.js';
import {relativeTime} from '../../../render/time.js';

/** A rule, and what it found. */
interface Judged {
  readonly rule: Rule;
  readonly finding: Finding;
}

/**
 * The connectors that violate the failed rules, each below one rule.
 *
 * @param now the service's clock in milliseconds since the Unix epoch; undefined where it is not known
 */
export function* instances(
  judged: readonly Judged[],
  suspects: readonly Member[],
  now: number | undefined,
): Generator<Finding> {
  const broken = judged.filter(({finding}) => finding.status !== 'pass');
  const brokenRule = (name: string) => broken.find(({rule}) => rule.name === name);
  const age = brokenRule('max-age');
  const limit = age && decisiveBound(age.rule, age.finding.status)?.value;
  for (const suspect of suspects) {
    const {status = 'unknown', lastHeartbeatAt: at} = suspect;
    const cause =
      brokenRule(`max-${status}`) ?? (status === 'online' ? undefined : brokenRule('min-online'));
    if (cause !== undefined) yield instance(suspect, status, cause, lastSeen(at, now));
    if (age === undefined || limit === undefined || at === undefined || now === undefined) continue;
    if (at === null) yield instance(suspect, 'too-old', age, ' (never sent a heartbeat)');
    else if ((now - at) / 1000 > limit) yield instance(suspect, 'too-old', age, lastSeen(at, now));
  }
}

function lastSeen(at: Member['lastHeartbeatAt'], now: number | undefined): string {
  if (at === undefined || at === null || now === undefined) return '';
  return ` (last heartbeat ${relativeTime(new Date(at), now)})`;
}

function instance(
  {id, name, lastHeartbeatAt}: Member,
  check: string,
  {rule, finding}: Judged,
  note: string,
): Finding {
  const subject = name ?? id;
  const at = typeof lastHeartbeatAt === 'number' ? new Date(lastHeartbeatAt).toISOString() : null;
  return {
    id: check,
    rule: rule.name,
    subject,
    status: finding.status,
    message: `${subject}${note}`,
    details: {id, last_heartbeat_at: at},
  };
}
