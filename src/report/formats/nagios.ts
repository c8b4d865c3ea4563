import {
  type Bounds,
  type Finding,
  findingStatuses,
  type Verdict,
} from '../../domain/check/findings.js';
import {figure} from '../../domain/words.js';
import type {AppError} from '../../errors.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Report} from '../report.js';

/** Exit codes of a plugin (Monitoring Plugins Development Guidelines, "Plugin Return Codes"). */
export const nagiosExitCodes = {ok: 0, warning: 1, critical: 2, unknown: 3} as const;

/** One of the four states of a plugin. */
type NagiosState = keyof typeof nagiosExitCodes;

/** The state for a verdict. A check that measured nothing is critical: all connectors may be gone. */
export const nagiosStates = {
  pass: 'ok',
  warn: 'warning',
  fail: 'critical',
  empty: 'critical',
  error: 'unknown',
} as const satisfies Record<Verdict, NagiosState>;

/** The state of a check that could not be carried out: critical when the service is down. */
export function stateOfError({isTransient}: AppError): NagiosState {
  return isTransient ? 'critical' : 'unknown';
}

/** Maximum output in bytes: Nagios reads 4 KB (Plugin API, "Plugin Output Length Restrictions"). */
const longestOutput = 4000;

/** Bytes reserved for the line that counts the findings that do not fit. */
const roomForRest = 60;

/**
 * A report as a monitoring plugin writes it: the state and the summary, performance data behind
 * `|`, and below them the findings other than `pass` and `info`, as many as fit.
 */
export function nagiosReport(report: Report): string {
  // The worst first: thousands of warnings must not cut off the failures.
  const bad = findingStatuses
    .filter((status) => status !== 'pass' && status !== 'info')
    .flatMap((status) => report.findings.filter((finding) => finding.status === status));
  return nagiosOutput(
    nagiosStates[report.verdict],
    report.summary,
    report.findings.flatMap(performance),
    bad.map(({status, id, message}) => `${status} ${id}: ${message}`),
  );
}

/** The output of a plugin, with as many details as fit. */
export function nagiosOutput(
  state: NagiosState,
  summary: string,
  performance: readonly string[] = [],
  details: readonly string[] = [],
): string {
  const data = performance.length === 0 ? '' : ` | ${performance.join(' ')}`;
  let output = `CONNECTORS ${state.toUpperCase()} - ${plain(summary)}${data}\n`;
  for (const [index, detail] of details.entries()) {
    const next = `${output}${plain(detail)}\n`;
    const isLast = index === details.length - 1;
    if (Buffer.byteLength(next) > longestOutput - (isLast ? 0 : roomForRest))
      return `${output}… ${figure(details.length - index)} more (-o json shows all)\n`;
    output = next;
  }
  return output;
}

/** `label=value[unit];[warning];[critical];min;[max]`; values within a range raise no alert. */
function performance({id, measurement}: Finding): string[] {
  if (measurement === undefined) return [];
  const {value, unit, warning, critical} = measurement;
  const label = `'${plain(id).replaceAll(/['=]/g, '_')}'`;
  // The smallest possible value, and the largest if there is one.
  const limits = unit === '%' ? '0;100' : '0;';
  return [`${label}=${rounded(value)}${unit};${range(warning)};${range(critical)};${limits}`];
}

/**
 * A range of the Plugin API: `max` (from 0 to `max`), `min:` or `min:max`. Icinga 2 reads only `max` and drops a range
 * with a colon, so it ignores a minimum (icinga2 2.13.6, `parse_performance_data`). No figure is negative.
 */
function range({min, max}: Bounds = {}): string {
  if (min === undefined) return max === undefined ? '' : rounded(max);
  return `${rounded(min)}:${max === undefined ? '' : rounded(max)}`;
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** Text without the separator of performance data. */
function plain(text: string): string {
  return escapeControl(text).replaceAll('|', '/');
}
