import {Flags, type Interfaces} from '@oclif/core';
import {stoppedBy} from '../../cli/process/signals.js';
import type {Client, ServiceFacts} from '../../client/types.js';
import type {Finding} from '../../domain/check/findings.js';
import {AppError, exitCodes} from '../../errors.js';
import {durationFlag, namesFlag} from '../../flags.js';
import type {ReportFormat} from '../../report/files.js';
import {nagiosExitCodes, nagiosStates} from '../../report/formats/nagios.js';
import {
  createReport,
  errorReport,
  type Report,
  type ReportRun,
  type Scope,
  scopeOf,
} from '../../report/report.js';
import {expiryText} from '../../service/notices.js';
import {systemClock} from '../../system/clock.js';
import {noDateText} from '../../terminal/notices.js';
import {requireFieldFor} from '../fields/known-names.js';
import {onlineWithinFlag, withOnlineWithin} from '../online-within.js';
import {type Criteria, evaluateConnectors} from './evaluate.js';
import {readInventory} from './inventory-file.js';
import {readRules, ruleFlags} from './rule-flags.js';

const command = 'connector check';

/** Milliseconds between two polls of the fleet. */
const pollInterval = 2000;

export const checkFlags = {
  ...ruleFlags,
  'allow-unexpected': Flags.boolean({
    dependsOn: ['expect'],
    description: 'accept connectors that match no entry of the inventory',
  }),
  expect: Flags.string({
    description:
      'inventory of the connectors that should exist: CSV or JSON, with name or id, and optionally state (online, present, absent); - is stdin',
    helpValue: 'PATH',
  }),
  'fail-on-warning': Flags.boolean({description: 'exit 9 on a warning too'}),
  name: namesFlag(),
  'online-within': onlineWithinFlag(),
  'wait-timeout': durationFlag({
    description: 'repeat the check every 2 seconds until everything holds, for this long at most',
  }),
};

/** A check, and the time to wait until it passes. */
interface Check extends Criteria {
  /** Whether a warning is a failure. */
  readonly failOnWarning: boolean;
  /** Milliseconds since the last heartbeat for which a connector is online; undefined for the service's status. */
  readonly onlineWithin?: number | undefined;
  readonly scope?: Scope | undefined;
  /** Milliseconds to wait until everything holds; 0 polls once. */
  readonly waitTimeout: number;
}

/** Reads the check from the flags. @throws AppError `usage` */
export async function readCheck(
  flags: Interfaces.InferredFlags<typeof checkFlags>,
): Promise<Check> {
  const expected = flags.expect === undefined ? undefined : await readInventory(flags.expect);
  const expectsSome = expected?.some(({state}) => state !== 'absent') ?? true;
  return {
    rules: readRules(flags, expectsSome),
    expected,
    source: flags.expect?.replace(/^-$/, 'stdin'),
    allowUnexpected: flags['allow-unexpected'],
    name: flags.name,
    onlineWithin: flags['online-within'],
    failOnWarning: flags['fail-on-warning'],
    scope: scopeOf(flags),
    waitTimeout: flags['wait-timeout'] ?? 0,
  };
}

/** A service, and the checks of its connectors. */
type ServiceCheck = Check & {
  readonly service: string;
  /** What the responses so far say about the service. */
  readonly facts: () => Pick<ServiceFacts, 'clockAhead' | 'key'> | undefined;
  /** The clock of the service, or of this machine if that is not known, in milliseconds since the Unix epoch. */
  readonly now: () => number;
};

/**
 * Evaluates the fleet, repeatedly until everything holds or the time is up.
 *
 * @param signal aborts the check
 */
export async function checkConnectors(
  client: Client,
  check: ServiceCheck,
  signal: AbortSignal,
): Promise<ReportRun> {
  const startedAt = new Date();
  const {service, scope} = check;
  const evaluated = withOnlineWithin(client, check.onlineWithin, check.now);
  try {
    return {report: await lastReport(evaluated, check, signal)};
  } catch (thrown) {
    const error = stoppedBy(thrown, signal);
    if (!(error instanceof AppError)) throw error;
    const about = {command, service, scope, startedAt};
    return {report: errorReport(about, 'service', service, error), error};
  }
}

/** Polls until the check is met or the time is up. @throws AppError of the last poll, and any permanent one */
async function lastReport(
  client: Client,
  check: ServiceCheck,
  signal: AbortSignal,
): Promise<Report> {
  const end = systemClock.now() + check.waitTimeout;
  for (;;) {
    const left = () => end - systemClock.now();
    const report = await poll(client, check, signal).catch((error: unknown) => {
      if (error instanceof AppError && error.isTransient && left() > 0) return undefined;
      throw error;
    });
    if (report !== undefined && (left() <= 0 || isMet(report, check))) return report;
    await systemClock.wait(Math.min(pollInterval, left()), signal);
    if (!signal.aborted) continue;
    // The error of a request that a signal cancels has this reason too.
    const message = 'Interrupted before the rules held.';
    throw new AppError('cancelled', message, {reason: 'cancelled'});
  }
}

/** Whether a report says that everything holds. */
const isMet = ({verdict}: Pick<Report, 'verdict'>, {failOnWarning}: Check): boolean =>
  verdict === 'pass' || (verdict === 'warn' && !failOnWarning);

/** The exit code of a check. The format `nagios` has its own codes. */
export function exitCodeOfCheck(report: Report, format: ReportFormat, check: Check): number {
  if (format === 'nagios') return nagiosExitCodes[nagiosStates[report.verdict]];
  return exitCodes[isMet(report, check) ? 'ok' : 'unmet'].code;
}

async function poll(client: Client, check: ServiceCheck, signal: AbortSignal): Promise<Report> {
  const startedAt = new Date();
  const connectors = await client.listConnectors({signal}).all();
  if (check.name !== undefined) requireFieldFor('filter by --name', 'name', connectors);
  const now = check.now();
  const {key, clockAhead} = check.facts() ?? {};
  const expiry = expiryText(key, now);
  const evaluated = evaluateConnectors(connectors, check, now);
  const needsAge =
    check.onlineWithin !== undefined ||
    check.rules.some(({name}) => name === 'max-age') ||
    evaluated.some(({id}) => id === 'contradicted');
  const findings = [
    ...evaluated,
    ...(needsAge && clockAhead === undefined ? [localClock] : []),
    ...(expiry === undefined ? [] : [{...keyExpiry, message: expiry}]),
  ];
  const bad =
    findings.find(({status}) => status === 'fail') ??
    findings.find(({status}) => status === 'warn');
  const isRule = ({id}: Finding) => check.rules.some(({name}) => name === id);
  const good = findings.filter(isRule).map(({message}) => message);
  const summary = bad?.message ?? good.join(', ');
  const {service, scope} = check;
  return createReport({command, service, scope, startedAt}, findings, summary);
}

// Not a warning: no operator of connectors can change it, so a monitor would never be green.
const localClock: Finding = {id: 'clock', subject: 'service', status: 'info', message: noDateText};
const keyExpiry = {id: 'key-expiry', subject: 'API key', status: 'warn'} as const;
