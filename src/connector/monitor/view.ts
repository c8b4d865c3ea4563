import {type CheckProblem, changes, type MonitorEvent} from '../../domain/check/monitor.js';
import {labelOf, predicateOf} from '../../domain/check/sentence.js';
import {timestamp} from '../../domain/timestamp.js';
import {counted, figure, firstOf} from '../../domain/words.js';
import {statusLabels} from '../../report/formats/text.js';
import type {MonitorJson} from '../../report/output.js';
import type {Report} from '../../report/report.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import {duration, exactTime} from '../../terminal/time.js';

/** The version of the input of `--exec`, and of the state file. */
export const stateSchema = 1;

/** The parts of a report that the texts about its check show. */
type Seen = Pick<Report, 'service' | 'summary'>;

/** An event for programs: a line of `--json`, or an element of the input of `--exec`. */
export function eventJson(event: MonitorEvent): MonitorJson['events'][number] {
  const {id, change, at, since, problem} = event;
  const {id: check, rule = null, subject, connectorId = null, status} = problem;
  const times = {at: timestamp(at), since: timestamp(since)};
  const message = sentenceOf(event);
  return {id, change, ...times, check, rule, subject, connector_id: connectorId, status, message};
}

/** The input of `--exec` on stdin. */
export function deliveryJson(report: Seen, events: readonly MonitorEvent[]): MonitorJson {
  const {service} = report;
  const shown = events.map(eventJson);
  return {schema: stateSchema, service, headline: headline(report, events), events: shown};
}

/** The sentence for an event: its finding, or for an ended problem, what it was and how long it lasted. */
function sentenceOf({change, at, since, problem}: MonitorEvent): string {
  const {id, rule, subject, connectorId, message} = problem;
  if (change !== 'ended') return message;
  const lasted = duration(Math.max(at - since, 0), Math.floor);
  if (rule === undefined) return `over after ${lasted}: ${message}`;
  return `${labelOf(subject, connectorId)} was ${predicateOf(id)} for ${lasted}`;
}

/**
 * The summary of a check and the number of changes, without names of connectors: `https://connectors.example: 2
 * of 40 connectors are offline (5 %); required: at most 0 (2 began, 1 ended; since 2026-03-01 10:00 UTC)`.
 */
function headline({service, summary}: Seen, events: readonly MonitorEvent[]): string {
  const counts = changes.flatMap((change) => {
    const count = events.filter((event) => event.change === change).length;
    return count === 0 ? [] : [`${figure(count)} ${change}`];
  });
  const starts = events.flatMap(({change, since}) => (change === 'ended' ? [] : [since]));
  const start = starts.sort((one, other) => one - other)[0];
  const since =
    start === undefined ? '' : `; since ${timestamp(start).slice(0, 16).replace('T', ' ')} UTC`;
  return `${service}: ${summary} (${counts.join(', ')}${since})`;
}

/** Maximum number of events that a terminal shows of one check. */
const mostShown = 50;

/**
 * The events of one check: the headline, then a line each such as `2026-03-01T10:00:00.000Z began: web-1 (con_1) is
 * offline (last heartbeat 3m ago); required: at most 0 offline`.
 */
export function renderEvents(
  report: Seen,
  events: readonly MonitorEvent[],
  {palette, isTerminal}: {readonly palette: Palette; readonly isTerminal: boolean},
): string {
  const [first] = events;
  if (first === undefined) return '';
  const shown = events.map((event) => {
    const {change, at, problem} = event;
    const color = change === 'ended' ? 'success' : statusLabels[problem.status].color;
    return `${exactTime(new Date(at))} ${palette[color](change)}: ${escapeControl(sentenceOf(event))}`;
  });
  const head = `${exactTime(new Date(first.at))} ${escapeControl(headline(report, events))}`;
  const most = isTerminal ? mostShown : shown.length;
  return [head, ...firstOf(shown, most, ' (--json shows all)')].join('\n');
}

/** The line about the first check: what is watched, how often, and how it ends. */
export const watchText = ({service, summary}: Seen, every: number): string =>
  `Watching ${service} every ${duration(every, Math.round)}: ${summary}. Ctrl-C ends.`;

/** Maximum number of connectors that the line about the first problems names. */
const mostNamed = 5;

/** The problems at the first check, as one line: `Already wrong: web-1 (con_1) is offline, web-2 (con_2) is stale`. */
export function baselineSummary(problems: readonly CheckProblem[]): string {
  const texts = problems.map(({id, rule, subject, connectorId, message}) =>
    rule === undefined ? message : `${labelOf(subject, connectorId)} is ${predicateOf(id)}`,
  );
  return `Already wrong: ${escapeControl(firstOf(texts, mostNamed).join(', '))}`;
}

/** A message that `--exec` failed, with the time of the next delivery. */
export function undeliveredText(failure: string, count: number, next: string): string {
  return `--exec ${failure}; ${counted(count, 'event')} will be delivered ${next}.`;
}
