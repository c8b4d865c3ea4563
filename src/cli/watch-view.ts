import type {ConnectorReading, JsonObject} from '../client/types.js';
import type {AppError} from '../errors.js';
import {type ConnectorChange, diffConnectors, renderChange} from '../render/changes.js';
import {escapeControl} from '../render/escape.js';
import {jsonLine} from '../render/json.js';
import type {Palette} from '../render/palette.js';
import {watchFrame} from '../render/watch-frame.js';
import {AlternateScreen, type Terminal} from './alternate-screen.js';
import {say} from './streams.js';

/** Shows what each look at the list found. */
export interface WatchView {
  show(connectors: readonly ConnectorReading[]): Promise<void>;
  /** A look failed in a way that may heal; there will be another. */
  fail(error: AppError): Promise<void>;
  close(): void;
}

/** One line for each change since the last look, for pipes and files; the first look is all additions. */
export class ChangeLines implements WatchView {
  readonly #palette: Palette;
  readonly #json: boolean;
  readonly #write: (text: string) => Promise<void>;
  #previous: readonly ConnectorReading[] = [];
  #complaint: string | undefined;

  constructor(palette: Palette, json: boolean, write: (text: string) => Promise<void>) {
    this.#palette = palette;
    this.#json = json;
    this.#write = write;
  }

  async show(connectors: readonly ConnectorReading[]): Promise<void> {
    if (this.#complaint !== undefined) say('The service answers again.');
    this.#complaint = undefined;
    for (const change of diffConnectors(this.#previous, connectors)) {
      const line = this.#json ? jsonLine(changeJson(change)) : renderChange(change, this.#palette);
      await this.#write(`${line}\n`);
    }
    this.#previous = connectors;
  }

  /** The same trouble is told once, however long it lasts. */
  async fail({message}: AppError): Promise<void> {
    if (message !== this.#complaint) say(`${escapeControl(message)}; looking again and again`);
    this.#complaint = message;
  }

  close(): void {}
}

function changeJson(change: ConnectorChange): JsonObject {
  if (change.kind !== 'changed') return {change: change.kind, connector: change.connector.raw};
  const {kind, id, field, from = null, to = null} = change;
  return {change: kind, id, field, from, to};
}

/** The table, redrawn in place on a terminal. */
export class TableScreen implements WatchView {
  readonly #palette: Palette;
  readonly #screen: AlternateScreen;
  #connectors: readonly ConnectorReading[] = [];
  #readAt: number | undefined;
  #failure: string | undefined;
  #frames = 0;

  constructor(terminal: Terminal, palette: Palette) {
    this.#palette = palette;
    this.#screen = new AlternateScreen(terminal, () => void this.#draw());
    void this.#draw();
  }

  async show(connectors: readonly ConnectorReading[]): Promise<void> {
    this.#connectors = connectors;
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
      ...this.#screen.size,
      palette: this.#palette,
      now: Date.now(),
      readAt: this.#readAt,
      failure: this.#failure,
    });
    // A newer frame, for another size perhaps, has overtaken this one.
    if (frame === this.#frames) this.#screen.draw(lines);
  }
}
