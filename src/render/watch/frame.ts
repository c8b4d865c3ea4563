import type {ConnectorReading} from '../../client/types.js';
import {escapeControl} from '../escape.js';
import type {Palette} from '../palette.js';
import {connectorsTable, type TableOptions} from '../table/connectors.js';
import {measurerFor} from '../text-width.js';
import {relativeTime} from '../time.js';

/** The screen that a frame is for, and what it shows besides the connectors. */
export interface FrameOptions {
  /** Number of connectors in the list; the frame gets only some of them. */
  readonly count: number;
  /** Index in the list of the first connector that the frame gets. */
  readonly first: number;
  /** Size of the terminal in characters. */
  readonly columns: number;
  readonly rows: number;
  /** Whether the keyboard is read; Ctrl-C works without. */
  readonly hasKeys: boolean;
  readonly palette: Palette;
  /** The fields to show; undefined for the usual ones. */
  readonly shownFields?: TableOptions['shownFields'];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** When the connectors were read, likewise; undefined before the first time. */
  readonly readAt: number | undefined;
  /** The reason that the last poll failed, if it did. */
  readonly failure: string | undefined;
}

/** More connectors than a terminal has lines; a table of this size has one header. */
export const mostRows = 500;

/**
 * One frame of the watched list, as lines that fit the screen: as many whole connectors as fit, the
 * last error, and the number of connectors.
 *
 * @returns the lines, and the number of connectors in them
 */
export async function watchFrame(
  connectors: readonly ConnectorReading[],
  options: FrameOptions,
): Promise<{readonly lines: readonly string[]; readonly shown: number}> {
  const {columns, palette, failure} = options;
  const room = Math.max(options.rows - (failure === undefined ? 1 : 2), 0);
  const {lines, shown} = await fittingTable(connectors, room, options);
  const cut = async (text: string) => {
    const safe = escapeControl(text);
    const measurer = await measurerFor([safe]);
    return measurer.cut(measurer.standalone(safe), columns);
  };
  const frame = [
    ...lines,
    ...(failure === undefined ? [] : [palette.error(await cut(failure))]),
    palette.muted(await cut(summary(shown, options))),
  ];
  return {lines: frame.slice(-Math.max(options.rows, 1)), shown};
}

/** The table's lines up to the last connector that fits whole, and the number of these connectors. */
async function fittingTable(
  connectors: readonly ConnectorReading[],
  room: number,
  {columns, palette, now, shownFields}: FrameOptions,
): Promise<{lines: readonly string[]; shown: number}> {
  const candidates = connectors.slice(0, Math.min(room, mostRows));
  if (candidates.length === 0) return {lines: [], shown: 0};
  let text = '';
  const table = connectorsTable(candidates, {
    width: columns,
    palette,
    now: () => now,
    wide: false,
    shownFields,
  });
  for await (const chunk of table) text += chunk;
  const lines = text.split('\n').slice(0, -1);
  // The header takes as many lines as each connector.
  const height = lines.length / (candidates.length + 1);
  const shown = Math.min(candidates.length, Math.max(Math.floor(room / height) - 1, 0));
  return {lines: lines.slice(0, shown === 0 ? 0 : (shown + 1) * height), shown};
}

function summary(
  shown: number,
  {count, failure, first, hasKeys, now, readAt}: FrameOptions,
): string {
  const keys = hasKeys ? 'q or Ctrl-C ends.' : 'Ctrl-C ends.';
  if (readAt === undefined) {
    return `${failure === undefined ? 'Reading the list' : 'No list yet'}. ${keys}`;
  }
  const total = count === 1 ? '1 connector' : `${count} connectors`;
  const asOf = failure === undefined ? '' : `, as of ${relativeTime(new Date(readAt), now)}`;
  if (shown >= count) return `${total}${asOf}. ${keys}`;
  const range = shown === 0 ? `0 of ${count}` : `${first + 1}–${first + shown} of ${count}`;
  return `${range}${asOf}. ${hasKeys ? 'q ends, arrows scroll.' : keys}`;
}
