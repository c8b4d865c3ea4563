import type {Operation} from '../../contract/index.js';
import type {SandboxFault} from '../../contract/sandbox.js';
import {fraction, type RandomBytes, randomStream} from './random.js';
import {type Effect, type FaultSpec, FaultSpecError, parseFault} from './spec.js';

/** What happens to one request. */
export interface Plan {
  /** The faults that act on it, as they were written. */
  readonly specs: readonly string[];
  /** Real milliseconds before it is handled. */
  readonly latency: number;
  /** Milliseconds that the `Date` of its response is wrong by. */
  readonly dateShift: number;
  /** What becomes of the response; undefined: it is sent as it is. */
  readonly outcome: Outcome | undefined;
}

/** The effects of which only one can act on a request. */
export type Outcome = Exclude<Effect, {readonly kind: 'latency'} | {readonly kind: 'date'}>;

/** More are a script that adds one for each request and never clears them. */
const mostFaults = 1000;

/** One fault: counts the requests that it matches, and decides on which it acts. */
class Fault {
  readonly id: number;
  readonly text: string;
  readonly spec: FaultSpec;
  readonly #addedAt: number;
  readonly #random: RandomBytes;
  #matched = 0;
  #applied = 0;

  constructor(id: number, text: string, addedAt: number, seed: number) {
    this.id = id;
    this.text = text.trim();
    this.spec = parseFault(text);
    this.#addedAt = addedAt;
    // A stream for each: what one draws does not depend on which others there are.
    this.#random = randomStream(seed, `fault ${id}`);
  }

  matches(operation: Operation): boolean {
    return this.spec.operation === '*' || this.spec.operation === operation;
  }

  /** Counts a request. @returns whether the fault would act on it */
  meets(now: number): boolean {
    const acts = !this.isDone(now);
    this.#matched += 1;
    const {when} = this.spec;
    if (when.kind === 'share') return fraction(this.#random) < when.share;
    if (when.kind === 'only') return this.#matched === when.count;
    return acts;
  }

  apply(): void {
    this.#applied += 1;
  }

  isDone(now: number): boolean {
    const {when} = this.spec;
    if (when.kind === 'only') return this.#matched >= when.count;
    if (when.kind === 'first') return this.#applied >= when.count;
    return when.kind === 'until' && now - this.#addedAt >= when.milliseconds;
  }

  describe(now: number): SandboxFault {
    return {
      id: this.id,
      spec: this.text,
      matched: this.#matched,
      applied: this.#applied,
      done: this.isDone(now),
    };
  }
}

/** The faults of a sandbox, in the order in which they were added. */
export class Faults {
  readonly #seed: number;
  readonly #now: () => number;
  #faults: Fault[] = [];
  #lastId = 0;

  constructor(seed: number, now: () => number) {
    this.#seed = seed;
    this.#now = now;
  }

  /** @throws FaultSpecError */
  add(text: string): SandboxFault {
    if (this.#faults.length >= mostFaults) {
      throw new FaultSpecError(`is one too many: there are ${mostFaults}; clear them first`);
    }
    const fault = new Fault(this.#lastId + 1, text, this.#now(), this.#seed);
    this.#lastId = fault.id;
    this.#faults.push(fault);
    return fault.describe(this.#now());
  }

  list(): SandboxFault[] {
    return this.#faults.map((fault) => fault.describe(this.#now()));
  }

  /** Removes all of them. The ids, and so the random streams, go on. */
  clear(): void {
    this.#faults = [];
  }

  /** Removes all of them and begins as a new sandbox does. */
  reset(): void {
    this.clear();
    this.#lastId = 0;
  }

  /**
   * Decides what happens to a request. Latencies and wrong dates add up; of the other effects the first
   * acts, and a later fault keeps what it would have used up.
   */
  plan(operation: Operation): Plan {
    const specs: string[] = [];
    let latency = 0;
    let dateShift = 0;
    let outcome: Outcome | undefined;
    for (const fault of this.#faults) {
      if (!fault.matches(operation) || !fault.meets(this.#now())) continue;
      const {effect} = fault.spec;
      if (effect.kind === 'latency') latency += effect.milliseconds;
      else if (effect.kind === 'date') dateShift += effect.milliseconds;
      else if (outcome === undefined) outcome = effect;
      else continue;
      fault.apply();
      specs.push(fault.text);
    }
    return {specs, latency, dateShift, outcome};
  }
}
