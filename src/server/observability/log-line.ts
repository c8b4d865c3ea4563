import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';

/** A record of the service's log: its fields, with `level`, `time` (RFC 3339) and `msg`. */
type LogRecord = Readonly<Record<string, unknown>>;

/** Fields that the line shows in another form, or that only a machine needs. */
const omitted = new Set(['level', 'time', 'msg', 'audit', 'err', 'request_id']);

/** Styles of the levels that a line shows; it omits the others. */
const namedLevels = new Map<unknown, keyof Palette>([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

/** One record of the log as one line for people, in local time. An error's stack is not in it. */
export function renderLogLine(record: LogRecord, palette: Palette): string {
  const time = palette.muted(new Date(String(record['time'])).toTimeString().slice(0, 8));
  return `${time} ${record['msg'] === 'request' ? requestText(record, palette) : eventText(record, palette)}`;
}

function requestText(record: LogRecord, palette: Palette): string {
  const {method, route, status, code, milliseconds, aborted} = record;
  const id = record['connector_id'];
  const path = typeof route === 'string' ? route : '(no route)';
  const words = [
    method ?? '(no method)',
    typeof id === 'string' ? path.replace(':id', id) : path,
    palette[styleOf(status)](String(status ?? '-')),
    code,
    typeof milliseconds === 'number' ? palette.muted(`${Math.round(milliseconds)} ms`) : undefined,
    aborted === true ? 'the client disconnected' : undefined,
  ];
  return words
    .filter((word) => word !== undefined)
    .map((word) => String(word))
    .join(' ');
}

function styleOf(status: unknown): keyof Palette {
  if (typeof status !== 'number') return 'muted';
  if (status >= 500) return 'error';
  return status >= 400 ? 'warning' : 'success';
}

function eventText(record: LogRecord, palette: Palette): string {
  const {level, audit, msg} = record;
  const style = namedLevels.get(level);
  const name = style === undefined ? '' : `${palette[style](String(level).toUpperCase())} `;
  const fields = Object.entries(record).filter(([key]) => !omitted.has(key));
  const text = [
    audit === undefined ? String(msg) : `audit ${audit}`,
    ...fields.map(([key, value]) => `${key}=${fieldText(value)}`),
  ].join(' ');
  return name + escapeControl(text);
}

/** A value as one word, or as JSON. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
