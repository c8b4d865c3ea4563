import {connectorField} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {counted, figure} from '../../domain/words.js';
import {escapeControl, type Palette} from '../../terminal/escape.js';
import {measurerFor} from '../../terminal/text-width.js';
import {relativeTime} from '../../terminal/time.js';

/** Statuses from the worst to the best; undefined stands for any other status, or none. */
const order = ['offline', 'stale', 'never', undefined, 'online', 'revoked'];

const statusOf = (connector: JsonObject) =>
  connectorField.status(connector)?.toLowerCase() ?? 'without a status';

function rankOf(status: string): number {
  const rank = order.indexOf(status);
  return rank === -1 ? order.indexOf(undefined) : rank;
}

/** The connectors, the worst status first, each status in the order of the list. */
export function worstFirst(connectors: readonly JsonObject[]): readonly JsonObject[] {
  return connectors
    .map((one) => ({one, rank: rankOf(statusOf(one))}))
    .sort((left, right) => left.rank - right.rank)
    .map(({one}) => one);
}

/** One reading of a watched list, and the terminal that shows it. */
export interface Frame {
  /** The table of the first connectors; empty without any. */
  readonly table: string;
  /** Number of connectors in the table. */
  readonly held: number;
  /** The whole list. */
  readonly connectors: readonly JsonObject[];
  /** Time of the last list, in milliseconds since the Unix epoch; undefined before the first. */
  readonly readAt: number | undefined;
  /** The reason for the last failure to read the list; undefined after a success. */
  readonly failure: string | undefined;
  /** The warning about the last list; undefined without one. */
  readonly warning: string | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly palette: Palette;
  readonly now: number;
}

/** The lines of a frame: as many whole connectors as fit, the warning, the last error, and a summary of the rest. */
export async function watchFrame(frame: Frame): Promise<readonly string[]> {
  const {table, held, failure, warning, rows, palette} = frame;
  const below = [
    ...(warning === undefined ? [] : [palette.warning(await cut(warning, frame))]),
    ...(failure === undefined ? [] : [palette.error(await cut(failure, frame))]),
  ];
  const room = Math.max(rows - below.length - 1, 0);
  const lines = table.split('\n').slice(0, -1);
  // The header takes as many lines as each connector.
  const height = lines.length / (held + 1);
  const shown = held === 0 ? 0 : Math.min(held, Math.max(Math.floor(room / height) - 1, 0));
  return [
    ...lines.slice(0, shown === 0 ? 0 : (shown + 1) * height),
    ...below,
    palette.muted(await cut(summary(shown, frame), frame)),
  ];
}

function summary(shown: number, {connectors, failure, now, readAt}: Frame): string {
  if (readAt === undefined) return 'No list yet. Ctrl-C ends.';
  const total = counted(connectors.length, 'connector');
  const rest =
    shown < connectors.length
      ? `… ${figure(connectors.length - shown)} more of ${total}: ${byStatus(connectors)}`
      : total;
  const asOf = failure === undefined ? '' : `, as of ${relativeTime(new Date(readAt), now)}`;
  return `${rest}${asOf}. Ctrl-C ends.`;
}

/** The number of connectors by status, worst first: `1 offline, 29 online`. */
function byStatus(connectors: readonly JsonObject[]): string {
  const counts = new Map<string, number>();
  for (const status of connectors.map(statusOf)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([left], [right]) => rankOf(left) - rankOf(right))
    .map(([status, count]) => `${figure(count)} ${status}`)
    .join(', ');
}

async function cut(text: string, {columns}: Frame): Promise<string> {
  const safe = escapeControl(text);
  const measurer = await measurerFor([safe]);
  return measurer.cut(safe, columns);
}
