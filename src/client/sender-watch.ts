import {AppError} from '../errors.js';
import {isRefusal} from './refusals.js';
import type {ConnectorReading, HeartbeatReading} from './types.js';

/** Accepted heartbeats before the connector is read for the first time, and between two readings. */
const readAfter = {first: 8, every: 10} as const;

/** Maximum difference between two reported times of one heartbeat, in milliseconds. */
export const tolerance = 500;

type Read = () => Promise<Pick<ConnectorReading, 'lastHeartbeatAt'>>;

/**
 * Finds out whether another process sends heartbeats for the same connector: a second start, or a copy of the
 * credentials file. The service then reports a last heartbeat that is later than that of this process. One such report
 * may show a heartbeat sent by hand, so only two in a row count. The watch compares only times that the service
 * recorded: the `Date` of a response may come from the clock of a proxy.
 */
export class SenderWatch {
  /** Time of this process's last heartbeat by the service's clock; undefined if it is not known. */
  #own: Date | null | undefined;
  #nextIn: number = readAfter.first;
  #seen = 0;
  #isShared = false;
  #isOver = false;

  /** @param read reads the connector, to learn the time of a heartbeat whose response has none */
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
   * Reads the connector, and compares its last heartbeat with that of this process.
   *
   * @returns whether another process sends heartbeats; undefined if that has not changed
   */
  async evaluate(read: Read): Promise<boolean | undefined> {
    this.#nextIn = readAfter.every;
    const at = await this.#read(read);
    const own = this.#own?.getTime() ?? Number.POSITIVE_INFINITY;
    this.#seen = at && at.getTime() > own + tolerance ? this.#seen + 1 : 0;
    if (this.#seen === 1 && !this.#isShared) this.#nextIn = 1;
    const isShared = this.#seen >= (this.#isShared ? 1 : 2);
    // Without a last heartbeat, there is nothing to compare.
    if (at === undefined || isShared === this.#isShared) return undefined;
    this.#isShared = isShared;
    return isShared;
  }

  /** Reads the time of the last heartbeat. A refusal, or a connector without this field, ends the watch. */
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
