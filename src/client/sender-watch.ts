import {AppError} from '../errors.js';
import {isRefusal} from './refusals.js';
import type {ConnectorReading, HeartbeatReading} from './types.js';

/** Accepted heartbeats before the connector is read for the first time, and between two readings. */
const readAfter = {first: 8, every: 10} as const;

/** Maximum difference of two responses about one heartbeat, in milliseconds. */
export const tolerance = 500;

type Read = () => Promise<Pick<ConnectorReading, 'lastHeartbeatAt'>>;

/**
 * Finds out whether another process sends heartbeats for the same connector: a second start, or a copy of the
 * credentials file. The service then reports a later last heartbeat than that of this process. A single report may be
 * of a heartbeat sent by hand, so only two in a row count. Only times that the service recorded are compared: the `Date`
 * of a response may be of the clock of a proxy.
 */
export class SenderWatch {
  /** The last heartbeat of this process by the service's clock; undefined after a lost response. */
  #own: Date | null | undefined;
  #nextIn: number = readAfter.first;
  #seen = 0;
  #isShared = false;
  #isOver = false;

  /** @param read reads the connector, for the time of a heartbeat whose response has none */
  async accepted({lastHeartbeatAt}: HeartbeatReading, read: Read): Promise<void> {
    this.#nextIn -= 1;
    const isAsked = lastHeartbeatAt === undefined && this.#nextIn <= 0 && !this.#isOver;
    this.#own = isAsked ? await this.#read(read) : lastHeartbeatAt;
  }

  failed(): void {
    this.#own = undefined;
  }

  /** Whether to read the connector before the next heartbeat. */
  get isDue(): boolean {
    return this.#nextIn <= 0 && this.#own instanceof Date && !this.#isOver;
  }

  /**
   * Reads the connector of this process, and evaluates its last heartbeat.
   *
   * @returns whether there is another process, when that has changed
   */
  async evaluate(read: Read): Promise<boolean | undefined> {
    this.#nextIn = readAfter.every;
    const at = await this.#read(read);
    const own = this.#own?.getTime() ?? Number.POSITIVE_INFINITY;
    this.#seen = at && at.getTime() > own + tolerance ? this.#seen + 1 : 0;
    if (this.#seen === 1 && !this.#isShared) this.#nextIn = 1;
    const isShared = this.#seen >= (this.#isShared ? 1 : 2);
    // Without a response nothing is known.
    if (at === undefined || isShared === this.#isShared) return undefined;
    this.#isShared = isShared;
    return isShared;
  }

  /** A refusal says nothing about heartbeats, and ends the watch, as does a connector without the time. */
  async #read(read: Read): Promise<Date | null | undefined> {
    try {
      const {lastHeartbeatAt} = await read();
      this.#isOver = lastHeartbeatAt === undefined;
      return lastHeartbeatAt;
    } catch (error) {
      this.#isOver = error instanceof AppError && isRefusal(error);
      return undefined;
    }
  }
}
