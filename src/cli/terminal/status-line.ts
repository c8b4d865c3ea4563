import {escapeControl} from '../../render/escape.js';
import {canRedraw, isInCi} from './capabilities.js';
import {onWrite} from './streams.js';

/** Milliseconds until a wait is worth a word, and from one update to the next. */
const period = 1000;

const clearLine = '\r\x1b[K';
/** The terminal cuts what is too long for one line. */
const cutLine = '\x1b[?7l';
const wrapLine = '\x1b[?7h';

/**
 * One line at the bottom of a terminal that says what is waited for, once that takes over a second.
 * It is gone before anything else is written.
 */
export class StatusLine {
  readonly #stream: Pick<NodeJS.WriteStream, 'write'>;
  readonly #mayWrite: () => boolean;
  #isShown = false;

  /** @param mayWrite whether the terminal is ours to write on just now */
  constructor(stream: Pick<NodeJS.WriteStream, 'write'>, mayWrite: () => boolean) {
    this.#stream = stream;
    this.#mayWrite = mayWrite;
    onWrite(() => this.#clear());
  }

  /**
   * Shows a text, and how many seconds it has been true, from a second after now.
   *
   * @param text of one line, asked again each second; undefined: nothing is waited for just now
   * @returns what ends it
   */
  begin(text: () => string | undefined): () => void {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const shown = this.#mayWrite() ? text() : undefined;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      if (shown === undefined) this.#clear();
      else this.#show(`${shown} ${seconds}s`);
    }, period);
    return () => {
      clearInterval(timer);
      this.#clear();
    };
  }

  #show(text: string): void {
    this.#stream.write(`${clearLine}${cutLine}${escapeControl(text)}${wrapLine}`);
    this.#isShown = true;
  }

  #clear(): void {
    if (this.#isShown) this.#stream.write(clearLine);
    this.#isShown = false;
  }
}

/**
 * A status line on this terminal; undefined where there is none that can show it, and where nothing
 * may be animated. What has begun to read our output may be a pager, whose terminal it then is.
 */
export function createStatusLine(): StatusLine | undefined {
  const {stderr, stdout} = process;
  if (!canRedraw(stderr) || isInCi()) return undefined;
  return new StatusLine(stderr, () => stdout.isTTY || !(stdout.bytesWritten > 0));
}
