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

const details = {level: 'must', holds: false, none: null, reference: `409 ${hostile}`};

/** One finding of each status with details, and those of rules about two connectors, one of them hostile. */
export const everyStatus = reportOf([
  finding('pass', {
    measurement: {value: 99.5, unit: '%', critical: {min: 95}, warning: {min: 99}},
    details,
  }),
  finding('fail', {
    id: 'max-never',
    measurement: {value: 3, unit: '', critical: {max: 0}},
    details,
  }),
  finding('fail', {
    ...{id: 'never', rule: 'max-never', subject: 'web-1', message: 'web-1'},
    details: {id: 'con_1'},
  }),
  finding('warn', {id: 'max-stale', details}),
  finding('skip', {id: 'max-age', details}),
  finding('info', {id: 'no`t|e', details}),
  finding('error', {id: 'service', details}),
  finding('fail', {id: 'missing', rule: 'max-never', subject: hostile, message: hostile}),
]);
