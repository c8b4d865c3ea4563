import {escapeControl} from '../../terminal/escape.js';

/** Milliseconds until a wait is shown, and from one update to the next. */
const period = 1000;

const clearLine = '\r\x1b[K';
/** Lets the terminal cut a text that is too long for one line. */
const cutLine = '\x1b[?7l';
const wrapLine = '\x1b[?7h';

/** One line at the bottom of a terminal that names the subject of a wait. It is cleared before any other output. */
export class StatusLine {
  readonly #write: (text: string) => void;
  readonly #mayShow: () => boolean;
  #isShown = false;

  /** @param mayShow whether the terminal is free for it */
  constructor(write: (text: string) => void, mayShow: () => boolean) {
    this.#write = write;
    this.#mayShow = mayShow;
  }

  /** See `Io.progress`. */
  begin(text: () => string | undefined): () => void {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const shown = this.#mayShow() ? text() : undefined;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      if (shown === undefined) this.clear();
      else this.#show(`${shown} ${seconds}s`);
    }, period);
    return () => {
      clearInterval(timer);
      this.clear();
    };
  }

  #show(text: string): void {
    this.#write(`${clearLine}${cutLine}${escapeControl(text)}${wrapLine}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#write(clearLine);
    this.#isShown = false;
  }
}
