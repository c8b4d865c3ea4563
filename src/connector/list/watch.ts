import {Flags} from '@oclif/core';
import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {durationFlag, letters} from '../../flags.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {type Io, usualSize} from '../../terminal/io.js';
import {contradictedNotice} from '../../terminal/notices.js';
import type {OutputFormat, OutputSettings, Renderer} from '../output.js';
import {listSelected, type Selection} from './selection.js';
import {type Frame, watchFrame, worstFirst} from './watch-view.js';

const clearScreen = '\x1b[H\x1b[2J';

export const watchFlags = {
  interval: durationFlag({
    dependsOn: ['watch'],
    description: 'interval between two polls of --watch (default 2s)',
    min: 500,
  }),
  watch: Flags.boolean({
    char: letters.watch,
    description:
      'show the table again and again on a terminal; for changes in a pipe, see connector monitor',
  }),
};

/** What to show, how, and how often. */
interface WatchOptions extends Selection {
  readonly render: Renderer;
  /** Milliseconds between two readings; undefined for the default. */
  readonly interval?: number | undefined;
}

/** @throws AppError `usage` unless stdout is a terminal that can show a table again and again */
export function requireScreen({stdout}: Io, json: boolean, output: OutputFormat): void {
  if (json || !stdout.canRedraw) {
    throw new AppError('usage', '--watch shows a table on a terminal only, and without --json.', {
      hint: 'For changes in a pipe, use: connectorctl connector monitor --json',
    });
  }
  if (output !== 'table' && output !== 'wide') {
    throw new AppError('usage', `--watch has no output format ${output}.`, {
      hint: 'Omit --output, or use -o wide.',
    });
  }
}

/**
 * Shows the list on the terminal again and again, until SIGINT or SIGTERM, the normal way to end it. It continues while
 * the service is unavailable.
 *
 * @throws AppError the permanent error that ended the watch
 */
export async function watchConnectors(
  client: Client,
  {render, interval = 2000, ...selection}: WatchOptions,
  {io, now}: OutputSettings,
  clock: Clock = systemClock,
): Promise<undefined> {
  const {stdout, stop: signal} = io;
  const palette = await stdout.palette();
  let list: Omit<Frame, 'rows' | 'columns' | 'palette' | 'now'> = {
    ...{table: '', held: 0, connectors: [], readAt: undefined},
    ...{failure: undefined, warning: undefined},
  };
  try {
    while (!signal.aborted) {
      const {rows, width: columns = usualSize.columns} = stdout;
      try {
        const {selected, contradicted} = await listSelected(client, selection, {now, signal});
        // A short screen hides the end of the list, which must not be the connectors that are down.
        const connectors = selection.sort === undefined ? worstFirst(selected) : selected;
        const held = connectors.slice(0, rows);
        const table = [...(await render(held))].join('');
        const warning = contradictedNotice(contradicted);
        list = {table, held: held.length, connectors, readAt: now(), failure: undefined, warning};
      } catch (error) {
        if (!(error instanceof AppError) || !error.isTransient) throw error;
        list = {...list, failure: error.message};
      }
      const lines = await watchFrame({...list, rows, columns, palette, now: now()});
      if (!signal.aborted) await io.result(`${clearScreen}${lines.join('\n')}`);
      await clock.wait(interval, signal);
    }
  } finally {
    if (list.readAt !== undefined) await io.result('\n');
  }
  return undefined;
}
