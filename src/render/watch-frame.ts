import type {ConnectorReading} from '../client/types.js';
import {escapeControl} from './escape.js';
import type {Palette} from './palette.js';
import {connectorsTable} from './table/connectors.js';
import {measurerFor} from './table/text-width.js';
import {relativeTime} from './time.js';

/** The screen that a frame is for, and what there is to say beside the connectors. */
export interface FrameOptions {
  /** How many connectors there are; the frame gets the first ones of them. */
  readonly count: number;
  /** Size of the terminal in characters. */
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** When the connectors were read, in the same milliseconds; undefined before the first time. */
  readonly readAt: number | undefined;
  /** Why the last look failed, where it did. */
  readonly failure: string | undefined;
}

/** More connectors than any terminal has lines; a table of this size has one head. */
export const mostRows = 500;

/**
 * One frame of the watched list, as lines that fit the screen: as many whole connectors as there is
 * room for, what is wrong, and how many there are.
 */
export async function watchFrame(
  connectors: readonly ConnectorReading[],
  options: FrameOptions,
): Promise<readonly string[]> {
  const {columns, palette, failure} = options;
  const room = Math.max(options.rows - (failure === undefined ? 1 : 2), 0);
  const {lines, shown} = await fittingTable(connectors, room, options);
  const cut = async (text: string) => {
    const safe = escapeControl(text);
    const ruler = await measurerFor([safe]);
    return ruler.cut(ruler.measure(safe), columns).text;
  };
  const frame = [
    ...lines,
    ...(failure === undefined ? [] : [palette.error(await cut(failure))]),
    palette.muted(await cut(`${summary(shown, options)}. q or Ctrl-C ends.`)),
  ];
  return frame.slice(-Math.max(options.rows, 1));
}

/** The table's lines up to the last connector that fits whole, and how many connectors that are. */
async function fittingTable(
  connectors: readonly ConnectorReading[],
  room: number,
  {columns, palette, now}: FrameOptions,
): Promise<{lines: readonly string[]; shown: number}> {
  const candidates = connectors.slice(0, Math.min(room, mostRows));
  let text = '';
  const table = connectorsTable(candidates, {width: columns, palette, now, wide: false});
  for await (const chunk of table) text += chunk;
  const lines = text.split('\n').slice(0, -1);
  // Head and connectors take the same number of lines each.
  const height = lines.length / (candidates.length + 1);
  const shown = Math.min(candidates.length, Math.max(Math.floor(room / height) - 1, 0));
  return {lines: lines.slice(0, shown === 0 ? 0 : (shown + 1) * height), shown};
}

function summary(shown: number, {count, failure, now, readAt}: FrameOptions): string {
  if (readAt === undefined) return failure === undefined ? 'Reading the list' : 'No list yet';
  const there = count === 1 ? '1 connector' : `${count} connectors`;
  const first = shown < count ? `, the first ${shown} shown` : '';
  const asOf = failure === undefined ? '' : `, as of ${relativeTime(new Date(readAt), now)}`;
  return `${there}${first}${asOf}`;
}
