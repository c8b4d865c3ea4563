import type {Client, ConnectorReading} from '../../../client/types.js';
import type {Finding} from '../../../domain/findings.js';
import {selectConnectors} from '../../../domain/selection.js';
import {AppError} from '../../../errors.js';
import type {Report} from '../../../render/report/report.js';
import {systemClock} from '../../../system/clock.js';
import {createReport, errorFinding} from '../../report/create.js';
import {type Criteria, judgeFleet} from './judge-fleet.js';

const command = 'connector check';

/** Milliseconds between two polls of the fleet. */
const pollInterval = 2000;

/** What to check, and how long to wait for it. */
export interface Check extends Criteria {
  readonly service: string;
  /** Globs, one of which the name of a connector matches; undefined takes all connectors. */
  readonly name: readonly string[] | undefined;
  /** Whether a warning is a failure. */
  readonly failOnWarning: boolean;
  /** Milliseconds to wait until everything holds; 0 polls once. */
  readonly waitTimeout: number;
}

/**
 * Judges the fleet, repeatedly until everything holds or the time is up.
 *
 * @returns the report of the last poll
 * @throws AppError when the last poll failed, or any poll failed permanently
 */
export async function checkFleet(
  client: Client,
  check: Check,
  signal: AbortSignal,
): Promise<Report> {
  const end = systemClock.now() + check.waitTimeout;
  for (;;) {
    const outcome = await poll(client, check, signal).catch((error: unknown) => {
      if (error instanceof AppError && error.isTransient && systemClock.now() < end)
        return undefined;
      throw error;
    });
    const isOver = systemClock.now() >= end;
    if (outcome !== undefined && (isOver || isMet(outcome, check.failOnWarning))) return outcome;
    await systemClock.wait(Math.min(pollInterval, end - systemClock.now()), signal);
    if (signal.aborted) throw interrupted();
  }
}

/** The same as when a signal cancels a request. */
function interrupted(): AppError {
  const message = 'Interrupted before the rules held.';
  return new AppError('cancelled', message, {reason: 'cancelled'});
}

/** Whether a report says that everything holds. */
export function isMet({verdict}: Pick<Report, 'verdict'>, failOnWarning: boolean): boolean {
  return verdict === 'pass' || (verdict === 'warn' && !failOnWarning);
}

/** The report of a check that could not be carried out. */
export function errorReport(service: string, startedAt: Date, error: AppError): Report {
  const findings = [errorFinding('service', service, error)];
  return createReport({command, service, startedAt}, findings, error.message);
}

async function poll(client: Client, check: Check, signal: AbortSignal): Promise<Report> {
  const startedAt = new Date();
  let serviceTime: Date | undefined;
  const all = client.listConnectors({
    signal,
    onResponse: (response) => {
      serviceTime = response.serverTime;
    },
  });
  const matching: AsyncIterable<ConnectorReading> = selectConnectors(
    all,
    {name: check.name},
    {now: Date.now},
  );
  const findings = await judgeFleet(matching, check, () => serviceTime);
  const bad = findings.find(({status}) => status === 'fail') ?? findings.find(isWarning);
  const good = findings.slice(0, check.rules.length).map(({message}) => message);
  const summary = bad?.message ?? good.join(', ');
  return createReport({command, service: check.service, startedAt}, findings, summary);
}

function isWarning({status}: Finding): boolean {
  return status === 'warn';
}
