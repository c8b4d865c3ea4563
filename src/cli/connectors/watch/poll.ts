import type {Client} from '../../../client/types.js';
import {type Selection, selectConnectors} from '../../../domain/selection.js';
import {AppError} from '../../../errors.js';
import {withText} from '../../../render/formats/renderer.js';
import {type ColorLevel, paletteFor} from '../../../render/palette.js';
import {type Clock, systemClock} from '../../../system/clock.js';
import {openKeyboard} from '../../terminal/alternate-screen.js';
import {canRedraw} from '../../terminal/capabilities.js';
import {abortOnSignal} from '../../terminal/signals.js';
import {selectedConnectors} from '../filters.js';
import {ChangeLines, TableScreen, type WatchView} from './view.js';

/** Milliseconds from one poll to the next, unless the user sets them. */
const defaultInterval = 2000;

/** How to write changes without a terminal, and the colors with one. */
interface WatchOptions {
  readonly json: boolean;
  readonly colorLevel: ColorLevel;
  /** The fields that the table shows; undefined for the usual ones. */
  readonly columns?: readonly string[] | undefined;
  /** Milliseconds from one poll to the next; undefined for the default. */
  readonly interval?: number | undefined;
  /** The time that ages count from. */
  readonly now: () => number;
  /** Writes a part of the result. */
  readonly write: (text: string) => Promise<void>;
}

/** Whether a watched list is a table on a terminal, rather than lines of changes. */
export function showsTable(json: boolean): boolean {
  return canRedraw(process.stdout) && !json;
}

/**
 * Watches the list until SIGINT or SIGTERM, the normal way to end it: a terminal shows the current table,
 * otherwise each change is one line. It keeps polling while the service is unavailable.
 *
 * @throws AppError the permanent error that ended the watch
 */
export async function watchConnectors(
  client: Client,
  selection: Selection,
  {json, colorLevel, columns, interval, now, write}: WatchOptions,
): Promise<undefined> {
  const signal = abortOnSignal();
  const palette = await paletteFor(colorLevel);
  const view = showsTable(json)
    ? new TableScreen(process.stdout, openKeyboard, {
        palette,
        now,
        shownFields: columns && (await withText(columns)),
      })
    : new ChangeLines(palette, json, write);
  // At once, not after the pending request: a second signal may end the process.
  signal.addEventListener('abort', () => view.close());
  try {
    await pollConnectors(client, selection, view, signal, interval);
  } finally {
    view.close();
  }
  return undefined;
}

/** Polls the list until the signal aborts. @param clock times the polls */
export async function pollConnectors(
  client: Client,
  selection: Selection,
  view: WatchView,
  signal: AbortSignal,
  interval = defaultInterval,
  clock: Clock = systemClock,
): Promise<void> {
  const {sort, limit = Number.POSITIVE_INFINITY, ...filter} = selection;
  while (!signal.aborted) {
    try {
      if (sort === undefined || limit <= view.limit) {
        await view.show(selectedConnectors(client, selection, {signal}));
      } else {
        // Sorting needs memory for every connector that it keeps.
        let count = 0;
        const counted = tallied(selectedConnectors(client, filter, {signal}), () => (count += 1));
        const first = selectConnectors(counted, {sort, limit: view.limit}, {now: Date.now});
        await view.show(first, () => Math.min(count, limit));
      }
      // A key has scrolled during the poll.
      if (view.isShort) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError) || !error.isTransient) throw error;
      await view.fail(error);
    }
    await waitOrMove(clock, interval, view, signal);
  }
}

/** Waits for the next poll, or until the view needs other connectors. */
async function waitOrMove(
  clock: Clock,
  interval: number,
  view: WatchView,
  signal: AbortSignal,
): Promise<void> {
  const pause = new AbortController();
  const end = () => pause.abort();
  if (signal.aborted) return;
  signal.addEventListener('abort', end);
  view.onMove = end;
  await clock.wait(interval, pause.signal);
  view.onMove = undefined;
  signal.removeEventListener('abort', end);
}

async function* tallied<T>(source: AsyncIterable<T>, onEach: () => void): AsyncGenerator<T> {
  for await (const one of source) {
    onEach();
    yield one;
  }
}
