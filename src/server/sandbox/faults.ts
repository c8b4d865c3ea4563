import type {Operation} from '../../contract/index.js';
import type {SandboxFault} from '../../contract/sandbox.js';
import {fraction, type RandomBytes, randomStream} from './random.js';
import {type Effect, type FaultSpec, parseFault} from './spec.js';

/** The effects of the faults on one request. */
export interface FaultPlan {
  /** Delay before the request is handled, in real milliseconds. */
  readonly latency: number;
  /** The change to the response; undefined sends it unchanged. */
  readonly outcome: Effect | undefined;
}

/** A fault, with the number of requests that it matched and that it applied to. */
interface Fault {
  readonly id: number;
  readonly text: string;
  readonly spec: FaultSpec;
  readonly addedAt: number;
  readonly random: RandomBytes;
  matched: number;
  applied: number;
}

/** The faults of a sandbox, in the order in which they were added. */
export class Faults {
  readonly #seed: number;
  readonly #now: () => number;
  readonly #first: readonly string[];
  #faults: Fault[] = [];
  #lastId = 0;

  /** @param first the faults of a new sandbox. @throws AppError as `add` */
  constructor(seed: number, now: () => number, first: readonly string[]) {
    this.#seed = seed;
    this.#now = now;
    this.#first = first;
    this.reset();
  }

  /** @throws AppError of kind `usage` */
  add(given: string): SandboxFault {
    const text = given.trim();
    const spec = parseFault(text);
    this.#lastId += 1;
    const id = this.#lastId;
    // Each fault has its own stream, so that its random numbers do not depend on other faults.
    const random = randomStream(this.#seed, `fault ${id}`);
    const fault = {id, text, spec, addedAt: this.#now(), random, matched: 0, applied: 0};
    this.#faults.push(fault);
    return describe(fault);
  }

  list(): SandboxFault[] {
    return this.#faults.map(describe);
  }

  /** Removes all faults. Later faults get new ids, and so new random streams. */
  clear(): void {
    this.#faults = [];
  }

  /** Removes all faults, and restarts with those of a new sandbox. */
  reset(): void {
    this.clear();
    this.#lastId = 0;
    for (const text of this.#first) this.add(text);
  }

  /**
   * Decides the effects on a request. Latencies add up. Of the other effects, only the first one acts; later faults do
   * not count the request as applied.
   */
  plan(operation: Operation): FaultPlan {
    let latency = 0;
    let outcome: Effect | undefined;
    for (const fault of this.#faults) {
      if (![operation, '*'].includes(fault.spec.operation) || !this.#meets(fault)) continue;
      const {effect} = fault.spec;
      if (effect.kind === 'latency') latency += effect.milliseconds;
      else if (outcome === undefined) outcome = effect;
      else continue;
      fault.applied += 1;
    }
    return {latency, outcome};
  }

  /** Counts a request that matches. @returns whether the fault acts on it */
  #meets(fault: Fault): boolean {
    fault.matched += 1;
    return fault.spec.acts({
      number: fault.matched,
      applied: fault.applied,
      age: this.#now() - fault.addedAt,
      chance: fraction(fault.random),
    });
  }
}

function describe({id, text, matched, applied}: Fault): SandboxFault {
  return {id, spec: text, matched, applied};
}
