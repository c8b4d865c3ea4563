/** A time that was seen when `order` tokens had been made. */
export interface Observation {
  readonly order: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * The latest time that was seen since each token was made, so that a clock that is set back brings
 * no expired token to life. A single latest time would not do: after a clock that ran ahead was
 * put right, every new token would look expired. Tokens are numbered as they are made, and only
 * what was seen after a token's making counts against it.
 *
 * Holds one entry while the clock goes forward, and one more for each set-back that the clock has
 * not caught up with.
 */
export class ObservedTime {
  /** Ascending in `order`, descending in `at`: an entry that a later one outdoes says nothing. */
  #entries: Observation[] = [];

  /** Notes that it was `at` when `order` tokens had been made. */
  observe(at: number, order: number): void {
    const last = this.#entries.at(-1);
    if (last !== undefined && last.order === order && last.at >= at) return;
    if (this.since(order) >= at) return;
    const kept = this.#entries.filter((entry) => entry.order > order || entry.at > at);
    const place = kept.findIndex((entry) => entry.order > order);
    kept.splice(place === -1 ? kept.length : place, 0, {order, at});
    this.#entries = kept;
  }

  /** The latest time seen since the token with this number was made; -Infinity when none was. */
  since(order: number): number {
    for (const entry of this.#entries) if (entry.order >= order) return entry.at;
    return Number.NEGATIVE_INFINITY;
  }

  /** The latest time seen since the newest token was made, or the one before it; -Infinity when none was. */
  get newest(): number {
    return this.#entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** The highest number of tokens that an observation was made at, 0 without one. */
  get order(): number {
    return this.#entries.at(-1)?.order ?? 0;
  }

  /** All that is known, to be written down and observed again. */
  get entries(): readonly Observation[] {
    return this.#entries;
  }
}
