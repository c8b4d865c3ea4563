import type {CheckProblem, MonitorEvent} from '../../domain/check/monitor.js';
import type {JsonObject} from '../../domain/json.js';
import {timestamp} from '../../domain/timestamp.js';
import {statusLabels} from '../../report/formats/text.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import {duration, exactTime} from '../../terminal/time.js';

/** The version of the input of `--exec`, and of the state file. */
export const stateSchema = 1;

/** An event for programs: a line of `--json`, or an element of the input of `--exec`. */
export function eventJson({id, change, at, since, problem}: MonitorEvent): JsonObject {
  const {id: check, rule = null, subject, connectorId = null, status, message} = problem;
  const times = {at: timestamp(at), since: timestamp(since)};
  return {id, change, ...times, check, rule, subject, connector_id: connectorId, status, message};
}

/** The input of `--exec` on stdin. */
export function deliveryJson(service: string, events: readonly MonitorEvent[]): object {
  return {schema: stateSchema, service, events: events.map(eventJson)};
}

/** An event as one line, without line feed: `2026-03-01T10:00:00.000Z began offline web-1 (last heartbeat 3m ago)`. */
export function renderMonitorEvent(
  {change, at, since, problem}: MonitorEvent,
  palette: Palette,
): string {
  const {id, subject, message, status} = problem;
  const color = change === 'ended' ? 'success' : statusLabels[status].color;
  const lasted = duration(Math.max(at - since, 0), Math.floor);
  const what = change === 'ended' ? `${subject} (after ${lasted})` : message;
  return `${exactTime(new Date(at))} ${palette[color](change)} ${id} ${escapeControl(what)}`;
}

/** Maximum number of connectors of each status that the line about the first check names. */
const named = 5;

/** The problems at the first check, as one line: `Already wrong: 2 offline (web-1, web-2)`. */
export function baselineSummary(problems: readonly CheckProblem[]): string {
  const ids = [...new Set(problems.map(({id}) => id))];
  const parts = ids.map((id) => {
    const subjects = problems.filter((one) => one.id === id).map(({subject}) => subject);
    const more = subjects.length > named ? ', …' : '';
    return `${subjects.length} ${id} (${subjects.slice(0, named).map(escapeControl).join(', ')}${more})`;
  });
  return `Already wrong: ${parts.join(', ')}`;
}

/** A message that `--exec` failed, with the time of the next delivery. */
export function undeliveredText(failure: string, count: number, next: string): string {
  const events = count === 1 ? '1 event' : `${count} events`;
  return `--exec ${failure}; ${events} will be delivered ${next}.`;
}
