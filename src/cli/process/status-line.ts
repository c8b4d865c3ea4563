import {escapeControl} from '../../terminal/escape.js';

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
