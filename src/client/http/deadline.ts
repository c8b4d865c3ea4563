/** Milliseconds after which a timer is late because the process did not run, and not because it was busy. */
const stopped = 100;

/** Milliseconds to read what arrived while the process did not run. */
const grace = 1000;

/**
 * Limits the time that a client waits for a service. It runs only between `start` and `stop`: the
 * pauses of the reader of a long list (a pager, a slow pipe) do not count. After Ctrl-Z and fg, or
 * SIGSTOP and SIGCONT, a response may be there that the client had no chance to read.
 */
export class Deadline {
  readonly #allowance: number;
  readonly #expire: () => void;
  #left: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param allowance milliseconds of waiting until `expire` is called, once */
  constructor(allowance: number, expire: () => void) {
    this.#allowance = allowance;
    this.#left = allowance;
    this.#expire = expire;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#end(), Math.max(this.#left, 0));
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#startedAt;
  }

  /** Grants the whole allowance again, after the service made progress. */
  refill(): void {
    this.#left = this.#allowance;
  }

  #end(): void {
    const waited = performance.now() - this.#startedAt;
    if (waited - Math.max(this.#left, 0) > stopped) this.#timer = setTimeout(this.#expire, grace);
    else this.#expire();
  }
}
