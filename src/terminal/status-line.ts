import type {Client} from '../client/types.js';
import {canRedraw, isInCi} from './capabilities.js';
import {escapeControl} from './escape.js';
import {isQuiet, onWrite} from './streams.js';

/** Milliseconds until a wait is shown, and from one update to the next. */
const period = 1000;

const clearLine = '\r\x1b[K';
/** Lets the terminal cut a text that is too long for one line. */
const cutLine = '\x1b[?7l';
const wrapLine = '\x1b[?7h';

/**
 * One line at the bottom of a terminal that names the subject of a wait, after a second. It is
 * cleared before any other output.
 */
export class StatusLine {
  #isShown = false;

  constructor() {
    onWrite(() => this.#clear());
  }

  /**
   * Shows a text and the seconds since this call, starting after one second.
   *
   * @param text one line, called every second; undefined hides the status line
   * @returns a function that ends it
   */
  begin(text: () => string | undefined): () => void {
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const shown = mayWrite() ? text() : undefined;
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
    process.stderr.write(`${clearLine}${cutLine}${escapeControl(text)}${wrapLine}`);
    this.#isShown = true;
  }

  #clear(): void {
    if (this.#isShown) process.stderr.write(clearLine);
    this.#isShown = false;
  }
}

/** Once stdout has data for another program, that may be a pager that owns the terminal. */
function mayWrite(): boolean {
  return process.stdout.isTTY || !(process.stdout.bytesWritten > 0);
}

/** A status line on this terminal; undefined without a terminal that can show it, and in CI. */
export function createStatusLine(): StatusLine | undefined {
  if (!canRedraw(process.stderr) || isInCi() || isQuiet()) return undefined;
  return new StatusLine();
}

/** The client with a status line while it waits, if a terminal can show one. @param service its name on that line */
export function withStatusLine(client: Client, service: string): Client {
  const line = createStatusLine();
  if (line === undefined) return client;
  const waited = <T>(call: Promise<T>): Promise<T> =>
    call.finally(line.begin(() => `Waiting for ${service} …`));
  return {
    createToken: (...call) => waited(client.createToken(...call)),
    activateConnector: (...call) => waited(client.activateConnector(...call)),
    getConnector: (...call) => waited(client.getConnector(...call)),
    sendHeartbeat: (...call) => waited(client.sendHeartbeat(...call)),
    keepAlive: (...call) => client.keepAlive(...call),
    listConnectors: (options) => {
      const list = client.listConnectors(options);
      return {
        [Symbol.asyncIterator]: () => list[Symbol.asyncIterator](),
        sent: (most) => waited(list.sent(most)),
      };
    },
  };
}
