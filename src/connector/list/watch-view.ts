import {connectorField} from '../../client/read/connector.js';
import type {JsonObject} from '../../domain/json.js';
import {counted, figure} from '../../domain/words.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import {measurerFor} from '../../terminal/text-width.js';
import {relativeTime} from '../../terminal/time.js';

/** Connectors by status in lower case, the worst first; the status is empty where the service sends none. */
type Groups = ReadonlyMap<string, readonly JsonObject[]>;

/** The statuses that come first, and those that come last; words of other services are between them. */
const [worst, best] = [
  ['offline', 'stale', 'never'],
  ['online', 'revoked'],
];

/** Groups connectors by status, each in the order of the list. */
export function groupByStatus(connectors: readonly JsonObject[]): Groups {
  const groups = new Map<string, JsonObject[]>();
  for (const connector of connectors) {
    const status = connectorField.status.read(connector)?.toLowerCase() ?? '';
    const group = groups.get(status);
    if (group === undefined) groups.set(status, [connector]);
    else group.push(connector);
  }
  const others = [...groups.keys()].filter((one) => ![...worst, ...best].includes(one));
  const order = [...worst, ...others, ...best];
  return new Map(
    order.flatMap((status) => {
      const group = groups.get(status);
      return group === undefined ? [] : [[status, group] as const];
    }),
  );
}

/** One reading of a watched list, and the terminal that shows it. */
export interface Frame {
  /** The table of the first connectors; empty without any. */
  readonly table: string;
  /** Connectors in the table. */
  readonly held: number;
  /** The list, by status. */
  readonly groups: Groups;
  /** Time of the last list, in milliseconds since the Unix epoch; undefined before the first. */
  readonly readAt: number | undefined;
  /** The reason for the last failure to read the list; undefined after a success. */
  readonly failure: string | undefined;
  /** What to know of the last list. */
  readonly warning: string | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly palette: Palette;
  readonly now: number;
}

/** The lines of a frame: as many whole connectors as fit, the warning, the last error, and what the rest is. */
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

function summary(shown: number, {groups, failure, now, readAt}: Frame): string {
  if (readAt === undefined) return 'No list yet. Ctrl-C ends.';
  const count = [...groups.values()].reduce((sum, {length}) => sum + length, 0);
  const total = counted(count, 'connector');
  const parts = [...groups].map(
    ([status, {length}]) => `${figure(length)} ${status || 'without a status'}`,
  );
  const rest =
    shown < count ? `… ${figure(count - shown)} more of ${total}: ${parts.join(', ')}` : total;
  const asOf = failure === undefined ? '' : `, as of ${relativeTime(new Date(readAt), now)}`;
  return `${rest}${asOf}. Ctrl-C ends.`;
}

async function cut(text: string, {columns}: Frame): Promise<string> {
  const safe = escapeControl(text);
  const measurer = await measurerFor([safe]);
  return measurer.cut(safe, columns);
}
