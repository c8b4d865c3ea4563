import type {ConnectorReading, JsonObject} from '../../client/types.js';
import type {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import {jsonLine} from '../../render/formats/json.js';
import type {Palette} from '../../render/palette.js';
import {exactTime} from '../../render/time.js';
import {type ConnectorChange, ConnectorChanges, renderChange} from '../../render/watch/changes.js';
import {mostRows, watchFrame} from '../../render/watch/frame.js';
import {AlternateScreen, type Keyboard, type Terminal} from '../terminal/alternate-screen.js';
import {writeError, writeMessage} from '../terminal/streams.js';

/** Shows the result of each poll. */
export interface WatchView {
  /** How many connectors it shows at most; of a longer list it also needs the number. */
  readonly limit: number;
  /** @param count number of connectors, once all are read; undefined when `connectors` are all */
  show(connectors: AsyncIterable<ConnectorReading>, count?: () => number): Promise<void>;
  /** A poll failed with a transient error; another will follow. */
  fail(error: AppError): Promise<void>;
  close(): void;
}

/** One line per change since the last poll, for pipes and files; the first poll adds everything. */
export class ChangeLines implements WatchView {
  readonly #palette: Palette;
  readonly #json: boolean;
  readonly #write: (text: string) => Promise<void>;
  readonly limit = Number.POSITIVE_INFINITY;
  readonly #changes = new ConnectorChanges();
  #lastError: string | undefined;

  constructor(palette: Palette, json: boolean, write: (text: string) => Promise<void>) {
    this.#palette = palette;
    this.#json = json;
    this.#write = write;
  }

  async show(connectors: AsyncIterable<ConnectorReading>): Promise<void> {
    for await (const connector of connectors) {
      const change = this.#changes.read(connector);
      if (change !== undefined) await this.#report(change);
    }
    if (this.#lastError !== undefined) writeMessage('The service is available again.');
    this.#lastError = undefined;
    for (const change of this.#changes.complete()) await this.#report(change);
  }

  async #report(change: ConnectorChange): Promise<void> {
    const at = new Date();
    const line = this.#json
      ? jsonLine(changeJson(change, at))
      : renderChange(change, at, this.#palette);
    await this.#write(`${line}\n`);
  }

  /** Reports the same error once, however long it lasts. */
  async fail({message}: AppError): Promise<void> {
    if (message !== this.#lastError) writeError(`${escapeControl(message)}; retrying`);
    this.#lastError = message;
  }

  close(): void {}
}

function changeJson(change: ConnectorChange, time: Date): JsonObject {
  const at = exactTime(time);
  if (change.kind === 'added') return {at, change: change.kind, connector: change.connector.raw};
  if (change.kind === 'removed') {
    const {id, name = null, organization = null, status = null} = change.connector;
    return {at, change: change.kind, connector: {id, name, organization, status}};
  }
  const {kind, id, field, from = null, to = null} = change;
  return {at, change: kind, id, field, from, to};
}

/** The table, redrawn in place on a terminal. */
export class TableScreen implements WatchView {
  readonly limit = mostRows;
  readonly #palette: Palette;
  readonly #screen: AlternateScreen;
  #connectors: readonly ConnectorReading[] = [];
  #count = 0;
  #readAt: number | undefined;
  #failure: string | undefined;
  #frames = 0;

  constructor(terminal: Terminal, keyboard: Keyboard | undefined, palette: Palette) {
    this.#palette = palette;
    this.#screen = new AlternateScreen(terminal, () => void this.#draw(), keyboard);
    void this.#draw();
  }

  async show(connectors: AsyncIterable<ConnectorReading>, count?: () => number): Promise<void> {
    const first: ConnectorReading[] = [];
    let read = 0;
    for await (const connector of connectors) {
      read += 1;
      if (read <= mostRows) first.push(connector);
    }
    this.#connectors = first;
    this.#count = count?.() ?? read;
    this.#readAt = Date.now();
    this.#failure = undefined;
    await this.#draw();
  }

  async fail({message}: AppError): Promise<void> {
    this.#failure = message;
    await this.#draw();
  }

  close(): void {
    this.#screen.close();
  }

  async #draw(): Promise<void> {
    this.#frames += 1;
    const frame = this.#frames;
    const lines = await watchFrame(this.#connectors, {
      count: this.#count,
      ...this.#screen.size,
      palette: this.#palette,
      now: Date.now(),
      readAt: this.#readAt,
      failure: this.#failure,
    });
    // A newer frame, perhaps for another size, may have overtaken this one.
    if (frame === this.#frames) this.#screen.draw(lines);
  }
}
