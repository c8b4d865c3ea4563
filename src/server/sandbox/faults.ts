import type {Operation} from '../../contract/index.js';
import type {SandboxFault} from '../../contract/sandbox.js';
import {fraction, type RandomBytes, randomStream} from './random.js';
import {type Effect, type FaultSpec, FaultSpecError, parseFault} from './spec.js';

/** What happens to one request. */
export interface Plan {
  /** The specifications of the faults that act on it. */
  readonly specs: readonly string[];
  /** Delay before it is handled, in real milliseconds. */
  readonly latency: number;
  /** Error of the `Date` header of the response, in milliseconds. */
  readonly dateShift: number;
  /** The change to the response; undefined sends it unchanged. */
  readonly outcome: Outcome | undefined;
}

/** The effects that exclude each other: at most one of them acts on a request. */
export type Outcome = Exclude<Effect, {readonly kind: 'latency'} | {readonly kind: 'date'}>;

/** Maximum number of faults; more come from a script that adds one per request and never clears them. */
const mostFaults = 1000;

/** In milliseconds: a longer timer ends at once. */
const longestTimer = 2 ** 31 - 1;

/** A fault, which counts the matching requests and decides which of them it affects. */
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
    // Each fault has its own stream, so that its random numbers do not depend on other faults.
    this.#random = randomStream(seed, `fault ${id}`);
  }

  matches(operation: Operation): boolean {
    return this.spec.operation === '*' || this.spec.operation === operation;
  }

  /** Counts a request. @returns whether the fault applies to it */
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

  /** @returns whether there was such a fault */
  remove(id: number): boolean {
    const rest = this.#faults.filter((fault) => fault.id !== id);
    const isFound = rest.length < this.#faults.length;
    this.#faults = rest;
    return isFound;
  }

  /** Removes all faults. The numbering of ids, and so of random streams, continues. */
  clear(): void {
    this.#faults = [];
  }

  /** Removes all faults, and restarts with those of a new sandbox. */
  reset(): void {
    this.clear();
    this.#lastId = 0;
  }

  /**
   * Decides what happens to a request. Latencies and date errors add up. Of the other effects, only the
   * first one acts, and a later fault does not use up its count.
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
    return {specs, latency: Math.min(latency, longestTimer), dateShift, outcome};
  }
}
