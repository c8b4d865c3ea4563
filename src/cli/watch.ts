import type {Client, ConnectorReading, JsonObject} from '../client/types.js';
import {type Selection, selectConnectors} from '../domain/selection.js';
import {AppError} from '../errors.js';
import {type ConnectorChange, diffConnectors, renderChange} from '../render/changes.js';
import {connectorsTable} from '../render/connectors-table.js';
import {jsonLine} from '../render/json.js';
import {type ColourLevel, type Palette, paletteFor} from '../render/palette.js';
import {systemClock} from './clock.js';
import {say, writeOut} from './streams.js';

/** Milliseconds between two looks. */
const pollInterval = 2000;

/** How changes are written where there is no terminal, and how many colours there are where there is. */
export interface WatchOptions {
  readonly json: boolean;
  readonly colourLevel: ColourLevel;
}

/**
 * Watches the list until SIGINT or SIGTERM, which are the ordinary way to end it: redrawn in place
 * on a terminal, elsewhere one line for each change. A service that is away is asked again.
 *
 * @throws AppError what another look cannot heal
 */
export async function watchConnectors(
  client: Client,
  selection: Selection,
  options: WatchOptions,
): Promise<undefined> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const palette = await paletteFor(options.colourLevel);
  const view =
    process.stdout.isTTY && !options.json
      ? new Screen(palette)
      : new ChangeLines(palette, options.json);
  try {
    while (!stop.signal.aborted) {
      await look(client, selection, view, stop.signal);
      await systemClock.wait(pollInterval, stop.signal);
    }
  } finally {
    view.close();
  }
  return undefined;
}

interface View {
  show(connectors: readonly ConnectorReading[]): Promise<void>;
  fail(error: AppError): Promise<void>;
  close(): void;
}

async function look(
  client: Client,
  selection: Selection,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  try {
    const connectors: ConnectorReading[] = [];
    const all = client.listConnectors({signal});
    for await (const connector of selectConnectors(all, selection)) connectors.push(connector);
    await view.show(connectors);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    if (error.kind !== 'unavailable' && error.kind !== 'remote') throw error;
    await view.fail(error);
  }
}

/** One line for each change since the last look; the first look is all additions. */
class ChangeLines implements View {
  readonly #palette: Palette;
  readonly #json: boolean;
  #previous: readonly ConnectorReading[] = [];

  constructor(palette: Palette, json: boolean) {
    this.#palette = palette;
    this.#json = json;
  }

  async show(connectors: readonly ConnectorReading[]): Promise<void> {
    for (const change of diffConnectors(this.#previous, connectors)) {
      await writeOut(
        this.#json
          ? `${jsonLine(changeJson(change))}\n`
          : `${renderChange(change, this.#palette)}\n`,
      );
    }
    this.#previous = connectors;
  }

  async fail(error: AppError): Promise<void> {
    say(`${error.message} Looking again every ${pollInterval / 1000}s.`);
  }

  close(): void {}
}

function changeJson(change: ConnectorChange): JsonObject {
  if (change.kind !== 'changed') return {change: change.kind, connector: change.connector.raw};
  const {kind, id, field, from = null, to = null} = change;
  return {change: kind, id, field, from, to};
}

const alternateScreen = '\x1b[?1049h\x1b[?25l';
const ordinaryScreen = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';

/** The table, redrawn in place on the terminal's other screen; what was there before comes back. */
class Screen implements View {
  readonly #palette: Palette;
  #connectors: readonly ConnectorReading[] = [];

  constructor(palette: Palette) {
    this.#palette = palette;
    process.stdout.write(alternateScreen);
  }

  async show(connectors: readonly ConnectorReading[]): Promise<void> {
    this.#connectors = connectors;
    await this.#draw(`${connectors.length} connectors`);
  }

  async fail(error: AppError): Promise<void> {
    await this.#draw(this.#palette.bad(error.message.split('\n', 1)[0] ?? ''));
  }

  close(): void {
    process.stdout.write(ordinaryScreen);
  }

  async #draw(state: string): Promise<void> {
    const {columns = 80, rows = 24} = process.stdout;
    const options = {width: columns, palette: this.#palette, now: Date.now(), wide: false};
    let table = '';
    for await (const chunk of connectorsTable(this.#connectors.slice(0, rows), options))
      table += chunk;
    const lines = table.split('\n').slice(0, Math.max(rows - 2, 1));
    const footer = `${state}  ${new Date().toISOString()}  Ctrl-C ends`;
    const screen = [...lines, footer.slice(0, columns)];
    await writeOut(`${home}${screen.join(`${clearLine}\n`)}${clearLine}${clearBelow}`);
  }
}
