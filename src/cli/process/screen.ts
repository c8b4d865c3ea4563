import {escapeControl, noColors, sixteenColors} from '../../terminal/escape.js';
import {type Screen, usualSize} from '../../terminal/io.js';

/**
 * The screen of stdout or stderr. `--no-color` decides on color, else NO_COLOR (no-color.org), else FORCE_COLOR, else
 * whether the output is a terminal with colors; an empty variable is ignored.
 *
 * @param allowsColor whether `--no-color` is absent
 */
export function screenOf(
  name: 'stderr' | 'stdout',
  isTerminal: boolean,
  allowsColor: boolean,
): Screen {
  const {NO_COLOR, FORCE_COLOR, TERM} = process.env;
  const isForced = FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const wantsColor = FORCE_COLOR ? isForced : isTerminal && TERM !== 'dumb';
  const hasColor = allowsColor && !NO_COLOR && wantsColor;
  return {
    isTerminal,
    canRedraw: isTerminal && TERM !== 'dumb',
    hasColor,
    // The stream of a pipe is not touched: Node would change the mode of the pipe, which other processes share.
    get width() {
      return isTerminal ? process[name].columns || usualSize.columns : undefined;
    },
    get rows() {
      return (isTerminal && process[name].rows) || usualSize.rows;
    },
    palette: async () => (hasColor ? sixteenColors() : noColors),
  };
}

/** Milliseconds until a wait is shown, and from one update to the next. */
const period = 1000;

const clearLine = '\r\x1b[K';
/** Lets the terminal cut a text that is too long for one line. */
const cutLine = '\x1b[?7l';
const wrapLine = '\x1b[?7h';

/** One line at the bottom of a terminal that says what the program waits for, cleared before any other output. */
export type StatusLine = ReturnType<typeof statusLine>;

/** @param mayShow whether the status line may use the terminal now */
export function statusLine(write: (text: string) => void, mayShow: () => boolean) {
  let isShown = false;
  const clear = () => {
    if (isShown) write(clearLine);
    isShown = false;
  };
  return {
    clear,
    /** See `Io.progress`. */
    begin(text: () => string | undefined): () => void {
      const startedAt = performance.now();
      const timer = setInterval(() => {
        const shown = mayShow() ? text() : undefined;
        if (shown === undefined) return clear();
        const seconds = Math.round((performance.now() - startedAt) / 1000);
        write(`${clearLine}${cutLine}${escapeControl(`${shown} ${seconds}s`)}${wrapLine}`);
        isShown = true;
      }, period);
      return () => {
        clearInterval(timer);
        clear();
      };
    },
  };
}
