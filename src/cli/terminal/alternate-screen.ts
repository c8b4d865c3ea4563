import {usualSize} from './capabilities.js';

/** The part of a terminal that is used here. */
export type Terminal = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write' | 'on' | 'off'>;

/** The part of a terminal's input that is used here. */
export type Keyboard = Pick<
  NodeJS.ReadStream,
  'setRawMode' | 'setEncoding' | 'on' | 'off' | 'resume' | 'pause'
>;

const escapeKey = '\x1b';

/** One key: the sequence of a special key, or one character. */
const oneKey = new RegExp(`${escapeKey}\\[[\\d;]*[A-Za-z~]|${escapeKey}O[A-Za-z]|[^]`, 'g');

/** The signals of keys. Raw mode disables echo, and the terminal sends no signals itself. */
const signalKeys: Readonly<Record<string, NodeJS.Signals>> = {
  q: 'SIGINT',
  '\x03': 'SIGINT',
  '\x1a': 'SIGTSTP',
  '\x1c': 'SIGQUIT',
};

const alternateScreen = '\x1b[?1049h';
const ordinaryScreen = '\x1b[?1049l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const cutLines = '\x1b[?7l';
const wrapLines = '\x1b[?7h';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearLineAndBelow = '\x1b[J';

/** Ends a process at once, without restoring the terminal. */
const fatalSignal = 'SIGQUIT';

/**
 * The terminal's alternate screen, for output that is redrawn in place. However the process ends or pauses
 * (Ctrl-Z), the previous screen is restored, except after `kill -9`.
 */
export class AlternateScreen {
  readonly #terminal: Terminal;
  readonly #redraw: () => void;
  readonly #keyboard: Keyboard | undefined;
  readonly #onKey: (key: string) => void;
  #isEntered = false;

  /**
   * @param redraw called when the terminal is resized, or the process continues after a pause
   * @param keyboard reads q, Ctrl-C and Ctrl-Z itself
   * @param onKey gets each other key; an arrow as `\\x1b[A`, also where the terminal sends `\\x1bOA`
   */
  constructor(
    terminal: Terminal,
    redraw: () => void,
    keyboard?: Keyboard,
    onKey: (key: string) => void = () => {},
  ) {
    this.#onKey = onKey;
    this.#terminal = terminal;
    this.#redraw = redraw;
    this.#keyboard = keyboard;
    keyboard?.setEncoding('latin1');
    this.#enter();
    terminal.on('resize', redraw);
    process.on('exit', this.#leave);
    process.on('SIGTSTP', this.#pause);
    process.on('SIGCONT', this.#resume);
    process.on(fatalSignal, this.#die);
  }

  /** Columns and rows. */
  get size(): {readonly columns: number; readonly rows: number} {
    const {columns, rows} = this.#terminal;
    return {columns: columns || usualSize.columns, rows: rows || usualSize.rows};
  }

  /** Shows only these lines. The terminal cuts lines that are too long. */
  draw(lines: readonly string[]): void {
    if (!this.#isEntered) return;
    // Cleared first: after a line of full width the cursor is still on its last character.
    const cleared = lines.map(
      (line, index) => (index < lines.length - 1 ? clearLine : clearLineAndBelow) + line,
    );
    this.#terminal.write(home + cleared.join('\r\n'));
  }

  close(): void {
    this.#leave();
    this.#terminal.off('resize', this.#redraw);
    process.off('exit', this.#leave);
    process.off('SIGTSTP', this.#pause);
    process.off('SIGCONT', this.#resume);
    process.off(fatalSignal, this.#die);
  }

  #enter(): void {
    this.#isEntered = true;
    this.#keyboard?.setRawMode(true);
    this.#keyboard?.on('data', this.#onKeys).resume();
    this.#terminal.write(`${alternateScreen}${hideCursor}${cutLines}`);
  }

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#keyboard?.off('data', this.#onKeys).pause();
    this.#keyboard?.setRawMode(false);
    this.#terminal.write(`${wrapLines}${showCursor}${ordinaryScreen}`);
  };

  readonly #onKeys = (keys: string): void => {
    for (const key of keys.match(oneKey) ?? []) {
      const signal = signalKeys[key];
      if (signal === undefined) this.#onKey(key.replace(`${escapeKey}O`, `${escapeKey}[`));
      else process.kill(process.pid, signal);
    }
  };

  readonly #pause = (): void => {
    this.#leave();
    process.kill(process.pid, 'SIGSTOP');
  };

  readonly #resume = (): void => {
    this.#leave();
    this.#enter();
    this.#redraw();
  };

  readonly #die = (signal: NodeJS.Signals): void => {
    this.close();
    process.kill(process.pid, signal);
  };
}
