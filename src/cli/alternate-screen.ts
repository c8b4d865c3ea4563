import {usualSize} from './terminal.js';

/** What is needed of a terminal. */
export type Terminal = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write' | 'on' | 'off'>;

const alternateScreen = '\x1b[?1049h';
const ordinaryScreen = '\x1b[?1049l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const cutLines = '\x1b[?7l';
const wrapLines = '\x1b[?7h';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearLineAndBelow = '\x1b[J';

/** Signals that end a process at once, and would leave the terminal as it is. */
const deadly = ['SIGHUP', 'SIGQUIT'] as const;

/**
 * The terminal's other screen, for what is redrawn in place. However the process ends or pauses
 * (Ctrl-Z), what was on the terminal before comes back. Only `kill -9` leaves no time for that.
 */
export class AlternateScreen {
  readonly #terminal: Terminal;
  readonly #redraw: () => void;
  #isEntered = false;

  /** @param redraw called when the terminal has another size, or the process goes on after a pause */
  constructor(terminal: Terminal, redraw: () => void) {
    this.#terminal = terminal;
    this.#redraw = redraw;
    this.#enter();
    terminal.on('resize', redraw);
    process.on('exit', this.#leave);
    process.on('SIGTSTP', this.#pause);
    process.on('SIGCONT', this.#resume);
    for (const signal of deadly) process.on(signal, this.#die);
  }

  /** Columns and rows. */
  get size(): {readonly columns: number; readonly rows: number} {
    const {columns, rows} = this.#terminal;
    return {columns: columns || usualSize.columns, rows: rows || usualSize.rows};
  }

  /** Shows these lines and nothing else. A line that is too long is cut by the terminal. */
  draw(lines: readonly string[]): void {
    if (!this.#isEntered) return;
    // Cleared before it is written: behind a line of full width the cursor is on its last character.
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
    for (const signal of deadly) process.off(signal, this.#die);
  }

  #enter(): void {
    this.#isEntered = true;
    this.#terminal.write(`${alternateScreen}${hideCursor}${cutLines}`);
  }

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#terminal.write(`${wrapLines}${showCursor}${ordinaryScreen}`);
  };

  readonly #pause = (): void => {
    this.#leave();
    process.kill(process.pid, 'SIGSTOP');
  };

  readonly #resume = (): void => {
    this.#enter();
    this.#redraw();
  };

  readonly #die = (signal: NodeJS.Signals): void => {
    this.close();
    process.kill(process.pid, signal);
  };
}
