import {openSync} from 'node:fs';
import {ReadStream} from 'node:tty';
import {usualSize} from './capabilities.js';
import {readJobState} from './job-control.js';

/** The part of a terminal that is used here. */
export type Terminal = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write' | 'on' | 'off'>;

/** The part of a terminal's input that is used here. */
export type Keyboard = Pick<
  NodeJS.ReadStream,
  'setRawMode' | 'setEncoding' | 'on' | 'off' | 'resume' | 'pause' | 'destroy'
>;

/** The keyboard of the terminal, whatever stdin is; undefined without a terminal. */
export function openKeyboard(): Keyboard | undefined {
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}

/** Milliseconds between two looks whether a process in the background is in the foreground: `fg` may send no signal. */
const lookAgain = 500;

/** Whether this process may change its terminal: the kernel stops one in the background that tries. */
function ownsTerminal(): boolean {
  const {hasTerminal, isForeground} = readJobState();
  return !hasTerminal || isForeground;
}

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
 * (Ctrl-Z), the previous screen is restored, except after `kill -9`. In the background it leaves the terminal alone.
 */
export class AlternateScreen {
  readonly #terminal: Terminal;
  readonly #redraw: () => void;
  readonly #openKeyboard: () => Keyboard | undefined;
  readonly #onKey: (key: string) => void;
  readonly #mayUse: () => boolean;
  #keyboard: Keyboard | undefined;
  #isEntered = false;
  #waiting: NodeJS.Timeout | undefined;

  /**
   * @param redraw called when the terminal is resized, or the process continues after a pause
   * @param open opens the keyboard, from which q, Ctrl-C and Ctrl-Z are read here
   * @param onKey gets each other key; an arrow as `\\x1b[A`, also where the terminal sends `\\x1bOA`
   */
  constructor(
    terminal: Terminal,
    redraw: () => void,
    open: () => Keyboard | undefined = () => undefined,
    onKey: (key: string) => void = () => {},
    mayUse = ownsTerminal,
  ) {
    this.#onKey = onKey;
    this.#terminal = terminal;
    this.#redraw = redraw;
    this.#openKeyboard = open;
    this.#mayUse = mayUse;
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

  /** Whether keys are read. */
  get hasKeys(): boolean {
    return this.#keyboard !== undefined;
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
    clearInterval(this.#waiting);
    this.#terminal.off('resize', this.#redraw);
    process.off('exit', this.#leave);
    process.off('SIGTSTP', this.#pause);
    process.off('SIGCONT', this.#resume);
    process.off(fatalSignal, this.#die);
  }

  #enter(): void {
    clearInterval(this.#waiting);
    if (!this.#mayUse()) {
      this.#waiting = setInterval(() => this.#mayUse() && this.#resume(), lookAgain).unref();
      return;
    }
    this.#isEntered = true;
    this.#keyboard ??= this.#openKeyboard();
    this.#keyboard?.setEncoding('latin1');
    this.#keyboard?.setRawMode(true);
    this.#keyboard?.on('data', this.#onKeys).resume();
    this.#terminal.write(`${alternateScreen}${hideCursor}${cutLines}`);
  }

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.#keyboard?.off('data', this.#onKeys).pause();
    // A shell that has continued this process in the background has restored its terminal.
    if (!this.#mayUse()) return;
    this.#keyboard?.setRawMode(false);
    // At its exit Node would restore the mode of an open one, also from the background.
    this.#keyboard?.destroy();
    this.#keyboard = undefined;
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
