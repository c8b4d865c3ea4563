import {isId} from '../../domain/ids.js';
import {minute} from '../../domain/time.js';

/** A connector whose heartbeats were refused. Times are in milliseconds since the Unix epoch. */
export interface UnknownConnector {
  readonly id: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the client that sent the last heartbeat. */
  readonly address: string;
}

/** Maximum number of connectors; beyond it the one that is silent for longest is forgotten. */
const most = 1000;

/** A connector is forgotten this many milliseconds after its last heartbeat. */
const period = 60 * minute;

/**
 * The connectors of the last hour that the store does not know, or whose key it does not know: an operator removed them,
 * or they were activated after the backup that was restored. They are in the memory of this process alone.
 */
export class UnknownConnectors {
  /** In the order of their last heartbeats. */
  readonly #found = new Map<string, UnknownConnector>();

  /** Records a refused heartbeat. No store can have a connector whose id has another form. */
  record(id: string, at: number, address: string): void {
    if (!isId('con', id)) return;
    const {firstAt = at} = this.#found.get(id) ?? {};
    this.#found.delete(id);
    this.#found.set(id, {id, firstAt, lastAt: at, address});
    this.#forget(at);
  }

  /** The connectors of the last hour, the one that called last at the end. */
  current(now: number): readonly UnknownConnector[] {
    this.#forget(now);
    return [...this.#found.values()];
  }

  #forget(now: number): void {
    for (const [id, {lastAt}] of this.#found) {
      if (now - lastAt <= period && this.#found.size <= most) return;
      this.#found.delete(id);
    }
  }
}
