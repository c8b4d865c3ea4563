import type {ConnectorReading} from '../../../client/types.js';
import type {JsonObject} from '../../../domain/json.js';
import type {AppError} from '../../../errors.js';
import {escapeControl} from '../../../render/escape.js';
import {jsonLine} from '../../../render/formats/json.js';
import type {Palette} from '../../../render/palette.js';
import {exactTime} from '../../../render/time.js';
import {
  type ConnectorChange,
  ConnectorChanges,
  renderChange,
} from '../../../render/watch/changes.js';
import {type FrameOptions, mostRows, watchFrame} from '../../../render/watch/frame.js';
import {AlternateScreen, type Keyboard, type Terminal} from '../../terminal/alternate-screen.js';
import {writeError, writeMessage} from '../../terminal/streams.js';

/** Shows the result of each poll. */
export interface WatchView {
  /** How many connectors it needs, counted from the first; of a longer list also the total. */
  readonly limit: number;
  /** Whether it needs other connectors than the last poll returned, because a key has scrolled it. */
  readonly isShort?: boolean;
  /** Called when `isShort` becomes true; set by the poll. */
  onMove?: (() => void) | undefined;
  /** @param count number of connectors, once all are read; undefined when `connectors` are all */
  show(connectors: AsyncIterable<ConnectorReading>, count?: () => number): Promise<void>;
  /** A poll failed with a transient error; another will follow. */
  fail(error: AppError): Promise<void>;
  close(): void;
}

/**
 * One line per change since the last poll, for pipes and files; the first poll adds everything, and JSON then says
 * `synced`.
 */
export class ChangeLines implements WatchView {
  readonly #palette: Palette;
  readonly #json: boolean;
  readonly #write: (text: string) => Promise<void>;
  readonly limit = Number.POSITIVE_INFINITY;
  readonly #changes = new ConnectorChanges();
  #lastError: string | undefined;
  #isSynced = false;

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
    if (this.#json && !this.#isSynced) {
      await this.#write(`${jsonLine({at: exactTime(new Date()), change: 'synced'})}\n`);
    }
    this.#isSynced = true;
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
  const {kind, field, from = null, to = null, lastHeartbeatAt} = change;
  const {id, name = null, status = null} = change.connector;
  const last_heartbeat_at = lastHeartbeatAt ? exactTime(lastHeartbeatAt) : null;
  return {at, change: kind, id, name, status, last_heartbeat_at, field, from, to};
}

/** The keys that scroll: by lines, by screens, or to an end. */
const scrollKeys: Readonly<Record<string, (top: number, page: number) => number>> = {
  '\x1b[A': (top) => top - 1,
  '\x1b[B': (top) => top + 1,
  '\x1b[5~': (top, page) => top - page,
  '\x1b[6~': (top, page) => top + page,
  '\x1b[H': () => 0,
  '\x1b[1~': () => 0,
  '\x1b[F': () => Number.POSITIVE_INFINITY,
  '\x1b[4~': () => Number.POSITIVE_INFINITY,
};

/** How a screen shows connectors. */
interface ScreenStyle extends Pick<FrameOptions, 'palette' | 'shownFields'> {
  /** The time that ages count from, in milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * The table, redrawn in place on a terminal, where keys scroll it. It holds the connectors around the screen,
 * and needs another poll when the screen leaves them.
 */
export class TableScreen implements WatchView {
  readonly #style: Pick<FrameOptions, 'palette' | 'shownFields'>;
  readonly #screen: AlternateScreen;
  onMove: (() => void) | undefined;
  /** Index of the first connector on the screen, and of the first one held. */
  #top = 0;
  #held = 0;
  /** Index of the first connector that was drawn last. */
  #drawn = 0;
  #page = 1;
  #connectors: readonly ConnectorReading[] = [];
  #count = 0;
  #readAt: number | undefined;
  #failure: string | undefined;
  #frames = 0;
  readonly #now: () => number;

  constructor(
    terminal: Terminal,
    open: () => Keyboard | undefined,
    {now = Date.now, ...style}: ScreenStyle,
  ) {
    this.#style = style;
    this.#now = now;
    this.#screen = new AlternateScreen(
      terminal,
      () => void this.#draw(),
      open,
      (key) => this.#scroll(key),
    );
    void this.#draw();
  }

  get limit(): number {
    return this.#wanted() + mostRows;
  }

  async show(connectors: AsyncIterable<ConnectorReading>, count?: () => number): Promise<void> {
    const wanted = this.#wanted();
    const held: ConnectorReading[] = [];
    let read = 0;
    for await (const connector of connectors) {
      read += 1;
      if (read > wanted && held.length < mostRows) held.push(connector);
    }
    this.#connectors = held;
    this.#held = wanted;
    this.#count = count?.() ?? read;
    this.#readAt = this.#now();
    this.#failure = undefined;
    this.#top = this.#within(this.#top);
    if (!this.isShort) await this.#draw();
  }

  async fail({message}: AppError): Promise<void> {
    this.#failure = message;
    await this.#draw();
  }

  close(): void {
    this.#screen.close();
  }

  /** Index of the first connector to hold: as many above the screen as below it. */
  #wanted(): number {
    return Math.max(this.#top - Math.floor((mostRows - this.#page) / 2), 0);
  }

  #within(top: number): number {
    return Math.max(Math.min(top, this.#count - this.#page), 0);
  }

  get isShort(): boolean {
    const end = Math.min(this.#top + this.#page, this.#count);
    return this.#top < this.#held || end > this.#held + this.#connectors.length;
  }

  #scroll(key: string): void {
    const move = scrollKeys[key];
    if (move === undefined) return;
    this.#top = this.#within(move(this.#top, this.#page));
    if (this.isShort) this.onMove?.();
    else void this.#draw();
  }

  async #draw(): Promise<void> {
    this.#frames += 1;
    const frame = this.#frames;
    // Before the poll that a key asks for, a resize redraws those that are held.
    const last = this.#held + Math.max(this.#connectors.length - this.#page, 0);
    if (!this.isShort) this.#drawn = this.#top;
    else this.#drawn = Math.max(Math.min(this.#drawn, last), this.#held);
    const {lines, shown} = await watchFrame(this.#connectors.slice(this.#drawn - this.#held), {
      count: this.#count,
      first: this.#drawn,
      ...this.#screen.size,
      hasKeys: this.#screen.hasKeys,
      ...this.#style,
      now: this.#now(),
      readAt: this.#readAt,
      failure: this.#failure,
    });
    // A newer frame, perhaps for another size, may have overtaken this one.
    if (frame !== this.#frames) return;
    this.#page = Math.max(shown, 1);
    this.#screen.draw(lines);
  }
}
