/**
 * Limits the time that a client waits for a service. It runs only between `start` and `stop`: the
 * pauses of the reader of a long list (a pager, a slow pipe) do not count.
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
    this.#timer = setTimeout(this.#expire, Math.max(this.#left, 0));
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
}
