import {pauseBefore} from '../../../domain/backoff.js';
import {AppError} from '../../../errors.js';
import type {Clock} from '../../../system/clock.js';

const backoff = {first: 500, longest: 30_000, jitter: [0.5, 1]} as const;
/** All workers wait for the same moment. */
const slowDown = {...backoff, jitter: [1, 1]} as const;

/** The longest `Retry-After` in milliseconds that is waited for. */
const longestRetryAfter = 10 * 60_000;

/** Give up after this many 429s in a row for one request while no other succeeds. */
const mostSlowDowns = 10;

/** What a request may do when it fails. */
interface Rules {
  /** Whether it may be sent again after its response was lost. */
  readonly repeatable: boolean;
}

/**
 * Sends the requests of all workers. When the service asks one of them to slow down (429, or any
 * `Retry-After`), all of them wait.
 */
export class Requests {
  readonly #retries: number;
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  #readyAt = 0;
  #accepted = 0;

  /**
   * @param retries how often a failed request is repeated where that is safe
   * @param stop ends pauses: the requests in progress finish, and are not repeated
   */
  constructor(retries: number, stop: AbortSignal, clock: Clock) {
    this.#retries = retries;
    this.#stop = stop;
    this.#clock = clock;
  }

  /** Milliseconds that all workers still wait for. */
  get pause(): number {
    // The clock is a call of the system.
    return this.#readyAt === 0 ? 0 : Math.max(0, this.#readyAt - this.#clock.now());
  }

  /** Waits while the service asks for it, or until the run stops. */
  async ready(): Promise<void> {
    while (this.pause > 0 && !this.#stop.aborted) await this.#clock.wait(this.pause, this.#stop);
  }

  /**
   * Sends a request until it succeeds or must not be repeated.
   *
   * @throws AppError of the last attempt; `outcomeUnknown` when the response of any was lost
   */
  async send<T>(request: () => Promise<T>, {repeatable}: Rules): Promise<T> {
    let retried = 0;
    let slowed = 0;
    let accepted = this.#accepted;
    let outcomeUnknown = false;
    for (;;) {
      try {
        const response = await request();
        this.#accepted += 1;
        return response;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        outcomeUnknown ||= error.outcomeUnknown;
        const failure = outcomeUnknown ? error.with({outcomeUnknown}) : error;
        if (asksToSlowDown(error)) {
          // Other workers were faster: a limit of one request per second leaves none to most of them.
          slowed = accepted === this.#accepted ? slowed + 1 : 1;
          accepted = this.#accepted;
          if (slowed > mostSlowDowns || (error.retryAfter ?? 0) > longestRetryAfter) throw failure;
          this.#slowDown(pauseBefore(slowed - 1, slowDown, 0, error.retryAfter));
        } else {
          if (retried >= this.#retries || !mayRepeat(error, repeatable)) throw failure;
          await this.#clock.wait(pauseBefore(retried, backoff, Math.random()), this.#stop);
          retried += 1;
        }
        await this.ready();
        if (this.#stop.aborted) throw failure;
      }
    }
  }

  #slowDown(milliseconds: number): void {
    this.#readyAt = Math.max(this.#readyAt, this.#clock.now() + milliseconds);
  }
}

function asksToSlowDown({status, retryAfter}: AppError): boolean {
  return status === 429 || (status === 503 && retryAfter !== undefined);
}

function mayRepeat({kind, reason, outcomeUnknown}: AppError, repeatable: boolean): boolean {
  if (!outcomeUnknown) return kind === 'unavailable';
  return repeatable && (kind !== 'protocol' || reason === 'body-incomplete');
}
