import type {CheckProblem, MonitorEvent} from '../../domain/check/monitor.js';
import {connectorsAre, figure, labelOf, predicateOf} from '../../domain/check/sentence.js';
import type {JsonObject} from '../../domain/json.js';
import {timestamp} from '../../domain/timestamp.js';
import {statusLabels} from '../../report/formats/text.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import {duration, exactTime} from '../../terminal/time.js';

/** The version of the input of `--exec`, and of the state file. */
export const stateSchema = 1;

/** Where the events of one check are from. */
export interface Watched {
  /** Base URL. */
  readonly service: string;
  /** The number of connectors that are watched; undefined while the service cannot be read. */
  readonly size: number | undefined;
}

/** An event for programs: a line of `--json`, or an element of the input of `--exec`. */
export function eventJson(event: MonitorEvent): JsonObject {
  const {id, change, at, since, problem} = event;
  const {id: check, rule = null, subject, connectorId = null, status} = problem;
  const times = {at: timestamp(at), since: timestamp(since)};
  const message = sentenceOf(event);
  return {id, change, ...times, check, rule, subject, connector_id: connectorId, status, message};
}

/** The input of `--exec` on stdin. */
export function deliveryJson(watched: Watched, events: readonly MonitorEvent[]): object {
  const {service} = watched;
  return {
    ...{schema: stateSchema, service, headline: headline(watched, events)},
    events: events.map(eventJson),
  };
}

/** What an event says: its finding, or what was the case and for how long. */
function sentenceOf({change, at, since, problem}: MonitorEvent): string {
  const {id, rule, subject, connectorId, message} = problem;
  if (change !== 'ended') return message;
  const lasted = duration(Math.max(at - since, 0), Math.floor);
  if (rule === undefined) return `over after ${lasted}: ${message}`;
  return `${labelOf(subject, connectorId)} was ${predicateOf(id)} for ${lasted}`;
}

/**
 * All events in one sentence for a chat, without the names that connectors have: `https://connectors.example: 2 of 40
 * connectors are offline since 2026-03-01 10:00 UTC; 1 of 40 connectors is no longer stale`.
 */
export function headline({service, size}: Watched, events: readonly MonitorEvent[]): string {
  const groups = new Map<string, MonitorEvent[]>();
  for (const event of events) {
    const {id, rule, message} = event.problem;
    const key = `${event.change} ${rule === undefined ? message : id}`;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return `${service}: ${[...groups.values()].map((group) => groupText(group, size)).join('; ')}`;
}

const adverbs = {began: '', lasts: 'still ', ended: 'no longer '} as const;

function groupText(events: readonly MonitorEvent[], size: number | undefined): string {
  const [first] = events;
  if (first === undefined) return '';
  const {change, problem} = first;
  const start = timestamp(events.reduce((least, {since}) => Math.min(least, since), first.since));
  const since = change === 'ended' ? '' : ` since ${start.slice(0, 16).replace('T', ' ')} UTC`;
  const what =
    problem.rule === undefined
      ? sentenceOf(first).replace(/\.$/, ',')
      : `${connectorsAre(events.length, size)} ${adverbs[change]}${predicateOf(problem.id)}`;
  return `${what}${since}`;
}

/** Maximum number of events that a terminal shows of one check. */
const mostShown = 50;

/** The events of one check as lines: the headline, then an event each, as many as a terminal has room for. */
export function renderEvents(
  watched: Watched,
  events: readonly MonitorEvent[],
  {palette, isTerminal}: {readonly palette: Palette; readonly isTerminal: boolean},
): string {
  const [first] = events;
  if (first === undefined) return '';
  const shown = isTerminal ? events.slice(0, mostShown) : events;
  const rest = events.length - shown.length;
  const lines = [
    `${exactTime(new Date(first.at))} ${escapeControl(headline(watched, events))}`,
    ...shown.map((event) => renderMonitorEvent(event, palette)),
    ...(rest === 0 ? [] : [`… ${figure(rest)} more (--json shows all)`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** `2026-03-01T10:00:00.000Z began: web-1 (con_1) is offline (last heartbeat 3m ago); required: at most 0 offline` */
function renderMonitorEvent(event: MonitorEvent, palette: Palette): string {
  const {change, at, problem} = event;
  const color = change === 'ended' ? 'success' : statusLabels[problem.status].color;
  return `${exactTime(new Date(at))} ${palette[color](change)}: ${escapeControl(sentenceOf(event))}`;
}

/** The line about the first check: `Watching 40 connectors at https://connectors.example every 30s. Ctrl-C ends.` */
export const watchText = ({service, size = 0}: Watched, every: number): string =>
  `Watching ${figure(size)} ${size === 1 ? 'connector' : 'connectors'} at ${service} every ${duration(every, Math.round)}. Ctrl-C ends.`;

/** Maximum number of connectors of each finding that the line about the first problems names. */
const named = 5;

/** The problems at the first check, as one line: `Already wrong: 2 offline: web-1 (con_1), web-2 (con_2)`. */
export function baselineSummary(problems: readonly CheckProblem[]): string {
  const ids = [...new Set(problems.map(({id}) => id))];
  const parts = ids.map((id) => {
    const labels = problems
      .filter((one) => one.id === id)
      .map(({subject, connectorId}) => escapeControl(labelOf(subject, connectorId)));
    const more = labels.length > named ? ', …' : '';
    return `${figure(labels.length)} ${id}: ${labels.slice(0, named).join(', ')}${more}`;
  });
  return `Already wrong: ${parts.join('; ')}`;
}

/** A message that `--exec` failed, with the time of the next delivery. */
export function undeliveredText(failure: string, count: number, next: string): string {
  const events = count === 1 ? '1 event' : `${count} events`;
  return `--exec ${failure}; ${events} will be delivered ${next}.`;
}
