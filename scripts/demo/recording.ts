import {spawn} from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** Text of one style on a line of the terminal. */
export interface Piece {
  readonly column: number;
  readonly text: string;
  /** Number of one of the sixteen colors; undefined for the color of plain text. */
  readonly color: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
}

/** What a terminal showed from a time on, in milliseconds since the beginning of the recording. */
export interface Frame {
  readonly at: number;
  readonly lines: readonly (readonly Piece[])[];
}

/** A shell in a terminal whose screen is recorded. */
export class Recording {
  readonly frames: Frame[] = [];
  readonly #screen: xterm.Terminal;
  readonly #shell: ReturnType<typeof spawn>;
  readonly #ended: Promise<void>;
  #changed = () => {};

  constructor(
    readonly columns: number,
    readonly rows: number,
    options: {readonly cwd: string; readonly env: Readonly<Record<string, string>>},
  ) {
    this.#screen = new xterm.Terminal({cols: columns, rows, allowProposedApi: true});
    this.#shell = spawn('bash', ['--norc', '--noprofile'], {cols: columns, rows, ...options});
    this.#shell.onData((text) =>
      this.#screen.write(text, () => {
        this.frames.push({at: performance.now(), lines: this.#lines()});
        this.#changed();
      }),
    );
    // Programs wait for the replies of their terminal.
    this.#screen.onData((reply) => this.#shell.write(reply));
    this.#ended = new Promise((resolve) => {
      this.#shell.onExit(() => resolve());
    });
  }

  type(text: string): void {
    this.#shell.write(text);
  }

  /** Text of the screen, with trailing line feeds removed. */
  text(): string {
    return this.#lines()
      .map((pieces) =>
        pieces.reduce((line, {column, text}) => line.padEnd(column) + text, '').trimEnd(),
      )
      .join('\n')
      .trimEnd();
  }

  /** Resolves once the screen matches. */
  async until(pattern: RegExp, limit = 30_000): Promise<void> {
    const deadline = performance.now() + limit;
    while (!pattern.test(this.text())) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`the terminal never showed ${pattern}:\n${this.text()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async close(): Promise<void> {
    this.#shell.kill('SIGKILL');
    await this.#ended;
  }

  #lines(): readonly (readonly Piece[])[] {
    const {active} = this.#screen.buffer;
    return Array.from({length: this.rows}, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      const pieces: Piece[] = [];
      for (let column = 0; line !== undefined && column < this.columns; column += 1) {
        const cell = line.getCell(column);
        if (cell === undefined || cell.getWidth() === 0) continue;
        const style = {
          color: cell.isFgPalette() ? cell.getFgColor() : undefined,
          bold: cell.isBold() !== 0,
          dim: cell.isDim() !== 0,
          underline: cell.isUnderline() !== 0,
        };
        const text = cell.getChars() || ' ';
        const last = pieces.at(-1);
        if (last !== undefined && isSameStyle(last, style)) {
          pieces[pieces.length - 1] = {...last, text: last.text + text};
        } else pieces.push({column, text, ...style});
      }
      return pieces
        .map((piece) => ({...piece, text: piece.text.trimEnd()}))
        .filter(({text}) => text !== '');
    });
  }
}

type Style = Omit<Piece, 'column' | 'text'>;

function isSameStyle(a: Style, b: Style): boolean {
  return a.color === b.color && a.bold === b.bold && a.dim === b.dim && a.underline === b.underline;
}

/**
 * The frames from time 0 on, with their pauses cut. Of frames within 50 ms the last stays.
 *
 * @param longest how long a frame may stay, in milliseconds
 */
export function withoutPauses(
  frames: readonly Frame[],
  longest: (frame: Frame) => number,
): readonly Frame[] {
  const shown = frames.filter(({at}, index) => (frames[index + 1]?.at ?? Infinity) - at > 50);
  let now = 0;
  return shown.map((frame, index) => {
    const before = shown[index - 1];
    if (before !== undefined) now += Math.min(frame.at - before.at, longest(before));
    return {at: Math.round(now), lines: frame.lines};
  });
}
