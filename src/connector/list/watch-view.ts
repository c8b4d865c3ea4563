import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import {measurerFor} from '../../terminal/text-width.js';
import {relativeTime} from '../../terminal/time.js';

/** One reading of a watched list, and the terminal that shows it. */
export interface Frame {
  /** The table of the first connectors; empty without any. */
  readonly table: string;
  /** Connectors in the table. */
  readonly held: number;
  /** Connectors in the list. */
  readonly count: number;
  /** Time of the last list, in milliseconds since the Unix epoch; undefined before the first. */
  readonly readAt: number | undefined;
  /** The reason for the last failure to read the list; undefined after a success. */
  readonly failure: string | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly palette: Palette;
  readonly now: number;
}

/** The lines of a frame: as many whole connectors as fit, the last error, and a count of the rest. */
export async function watchFrame(frame: Frame): Promise<readonly string[]> {
  const {table, held, failure, rows, palette} = frame;
  const room = Math.max(rows - (failure === undefined ? 1 : 2), 0);
  const lines = table.split('\n').slice(0, -1);
  // The header takes as many lines as each connector.
  const height = lines.length / (held + 1);
  const shown = held === 0 ? 0 : Math.min(held, Math.max(Math.floor(room / height) - 1, 0));
  return [
    ...lines.slice(0, shown === 0 ? 0 : (shown + 1) * height),
    ...(failure === undefined ? [] : [palette.error(await cut(failure, frame))]),
    palette.muted(await cut(summary(shown, frame), frame)),
  ];
}

function summary(shown: number, {count, failure, now, readAt}: Frame): string {
  if (readAt === undefined) return 'No list yet. Ctrl-C ends.';
  const total = `${count} ${count === 1 ? 'connector' : 'connectors'}`;
  const rest = shown < count ? `… ${count - shown} more of ${total}` : total;
  const asOf = failure === undefined ? '' : `, as of ${relativeTime(new Date(readAt), now)}`;
  return `${rest}${asOf}. Ctrl-C ends.`;
}

async function cut(text: string, {columns}: Frame): Promise<string> {
  const safe = escapeControl(text);
  const measurer = await measurerFor([safe]);
  return measurer.cut(safe, columns);
}
