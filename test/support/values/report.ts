import {
  countFindings,
  type Finding,
  type FindingStatus,
  verdictOf,
} from '../../../src/domain/check/findings.js';
import type {Report} from '../../../src/report/report.js';

/** Text that every format must escape: markup, directives, commands, control characters. */
export const hostile =
  'a|b <script>&"\' ::error::x %0A #SKIP `code` @team \u001b[31mred\u202e \ud800 line\nfeed \\ é漢😀';

/** A finding of a check. */
export function finding(status: FindingStatus, changes: Partial<Finding> = {}): Finding {
  return {id: 'max-offline', subject: 'fleet', status, message: `a ${status}`, ...changes};
}

/** A report of findings. */
export function reportOf(findings: readonly Finding[], changes: Partial<Report> = {}): Report {
  const counts = countFindings(findings);
  return {
    command: 'connector check',
    service: 'https://connectors.example',
    startedAt: new Date('2026-01-02T03:04:05.678Z'),
    duration: 1234,
    verdict: verdictOf(counts),
    summary: findings[0]?.message ?? 'nothing was measured',
    counts,
    findings,
    ...changes,
  };
}

/** One finding of each status, and a hostile one. */
export const everyStatus = reportOf([
  finding('pass', {measurement: {value: 99.5, unit: '%', critical: {min: 95}, warning: {min: 99}}}),
  finding('fail', {id: 'max-never', measurement: {value: 3, unit: '', critical: {max: 0}}}),
  finding('fail', {id: 'never', rule: 'max-never', subject: 'web-1', message: 'web-1'}),
  finding('warn', {id: 'max-stale'}),
  finding('skip', {id: 'max-age'}),
  finding('info', {id: 'note'}),
  finding('error', {id: 'service'}),
  finding('fail', {id: 'missing', rule: 'expected', subject: hostile, message: hostile}),
]);

const details = {
  level: 'must',
  holds: false,
  reference: `409 ${hostile}`,
  curl: `curl -i ${hostile}`,
};

/** A finding of each status with details. */
export const withDetails = reportOf(
  (['pass', 'fail', 'warn', 'skip', 'info', 'error'] as const).map((status) =>
    finding(status, {id: `4.2/${status}`, details}),
  ),
);
