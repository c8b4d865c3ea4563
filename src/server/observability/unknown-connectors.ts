import {createHash} from 'node:crypto';
import {isId} from '../../domain/ids.js';
import {minute} from '../../domain/time.js';

/** A connector whose heartbeats were refused. Times are in milliseconds since the Unix epoch. */
export interface UnknownConnector {
  readonly id: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Address of the client that sent the last heartbeat. */
  readonly address: string;
}

/** Maximum number of remembered connectors. */
const most = 1000;

/** A connector is forgotten this many milliseconds after its last heartbeat. */
const period = 60 * minute;

/** Number of marks, of four bytes each. */
const marks = 2 ** 20;

/**
 * The connectors of the last hour that the store does not know, or whose key it does not know: usually, an operator
 * removed them, or they were activated after the restored backup. Only the memory of this process holds them.
 *
 * A scan with random ids takes no memory beyond `most` connectors and the marks, and rarely hides one that keeps
 * calling: beyond `most`, a connector enters with its second heartbeat, and replaces the one silent for longest.
 */
export class UnknownConnectors {
  /** By id, in the order of their last heartbeats. */
  readonly #found = new Map<string, UnknownConnector>();
  /** Parts of the hashes of refused ids, one per slot. A later id with the same slot overwrites the mark. */
  readonly #marks = new Uint32Array(marks);

  /** Records a refused heartbeat. Ignores an id of another form: no connector can have it. */
  record(id: string, at: number, address: string): void {
    if (!isId('con', id)) return;
    const isMarked = this.#mark(id);
    const {firstAt = at} = this.#found.get(id) ?? {};
    this.#found.delete(id);
    this.#forget(at);
    const [oldest] = this.#found.keys();
    if (oldest !== undefined && this.#found.size === most) {
      if (!isMarked) return;
      this.#found.delete(oldest);
    }
    this.#found.set(id, {id, firstAt, lastAt: at, address});
  }

  /** The connectors of the last hour, in the order of their last heartbeats. */
  current(now: number): readonly UnknownConnector[] {
    this.#forget(now);
    return [...this.#found.values()];
  }

  #forget(now: number): void {
    for (const [id, {lastAt}] of this.#found) {
      if (now - lastAt <= period) return;
      this.#found.delete(id);
    }
  }

  /** Marks an id. @returns whether it was marked before */
  #mark(id: string): boolean {
    const hash = createHash('sha256').update(id).digest();
    const place = hash.readUInt32LE(0) % marks;
    const mark = hash.readUInt32LE(4);
    const isMarked = this.#marks[place] === mark;
    this.#marks[place] = mark;
    return isMarked;
  }
}
