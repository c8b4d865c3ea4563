import {ObservedTime} from './observed-time.js';
import type {RecordOf} from './records.js';
import type {State} from './state.js';

/** Milliseconds that the times seen may be ahead of those on disk, when nothing depends on them. */
const clockLag = 1000;

/** The times that a store has seen, and how far they are written down; see `observed-time.ts`. */
export class StoreClock {
  readonly #state: State;
  /** All times seen; those on disk are in the state. */
  readonly #seen = new ObservedTime();
  /** The newest time that was written down, or is being written. */
  #written: number;
  #tokensMade: number;

  /** @param state what is on disk */
  constructor(state: State) {
    this.#state = state;
    // Tokens that are closed have lost their number; what was seen before new ones must not count.
    this.#tokensMade = Math.max(state.tokens.made, state.clock.order);
    for (const {at, order} of state.clock.entries) this.#seen.observe(at, order);
    this.#written = this.#seen.newest;
  }

  /** Whether a token was made here, ever. */
  get hasTokens(): boolean {
    return this.#tokensMade > 0;
  }

  /** The clock has gone on since it was written down, or was set back. */
  get isDue(): boolean {
    const {newest} = this.#seen;
    return newest >= this.#written + clockLag || newest < this.#written;
  }

  /** Notes that it was `at`, in milliseconds since the Unix epoch. */
  observe(at: number): void {
    this.#seen.observe(at, this.#tokensMade);
  }

  /** The latest time seen since the token with this number was made; -Infinity when none was. */
  since(order: number): number {
    return this.#seen.since(order);
  }

  /** Whether it is on disk that this time has come since the token with this number was made. */
  hasWritten(at: number, order: number): boolean {
    return this.#state.clock.since(order) >= at;
  }

  /** Counts a token that is being made. @returns its number */
  countToken(): number {
    this.#tokensMade += 1;
    return this.#tokensMade;
  }

  /** All times seen, to be written down now. */
  toRecord(): RecordOf<'clock'> {
    this.#written = this.#seen.newest;
    return {type: 'clock', seen: [...this.#seen.entries]};
  }

  /** What was to be written down is not on disk. */
  notWritten(): void {
    this.#written = this.#state.clock.newest;
  }
}
