import {headers, type Operation} from '../../contract/index.js';
import {faultOperations, type SandboxFault} from '../../contract/sandbox.js';
import {readDuration} from '../../domain/duration.js';
import {AppError} from '../../errors.js';
import {fraction, type RandomBytes, randomStream} from './clock.js';

const plain = ['reset', 'drop-response', 'truncate', 'garbage'] as const;

/** The effect of a fault on a request. `retryAfter` is in seconds, `milliseconds` is real time. */
export type Effect =
  | {readonly kind: 'status'; readonly status: number; readonly retryAfter: number | undefined}
  | {readonly kind: 'latency'; readonly milliseconds: number}
  | {readonly kind: (typeof plain)[number]};

/** A request that a fault matches, as the fault sees it. */
interface Match {
  /** The position of this request among those that the fault matched, from 1. */
  readonly number: number;
  /** Number of earlier requests that the fault acted on. */
  readonly applied: number;
  /** Virtual milliseconds since the fault was added. */
  readonly age: number;
  /** A random number in [0, 1). */
  readonly chance: number;
}

/** A fault, parsed from `OPERATION:EFFECT[@WHEN]`. */
export interface FaultSpec {
  readonly operation: Operation | '*';
  readonly effect: Effect;
  /** Whether the fault acts on a matching request. */
  readonly acts: (match: Match) => boolean;
}

const hour = 60 * 60 * 1000;

/** The longest `Retry-After`, in milliseconds. */
const longestRetryAfter = 3650 * 24 * hour;

const mustHave = {
  operation: `must begin with an operation (${[...faultOperations.keys()].join(', ')}) and a colon`,
  effect: `must have an effect: a status such as 503 or 503,${headers.retryAfter}=30s (3650d at most), latency=2s (1h at most), reset, drop-response, truncate or garbage`,
  when: 'must end with @ and a share such as 10%, one request such as #3, the next ones such as 3x, or a duration such as 5m',
};

/** @throws AppError of kind `usage`, whose message names the allowed values */
export function parseFault(text: string): FaultSpec {
  const [, name = '', effectText = '', whenText] = /^([^:]*):([^@]*)(?:@(.*))?$/.exec(text) ?? [];
  const refuse = (part: keyof typeof mustHave) =>
    new AppError('usage', `The fault ${JSON.stringify(text)} ${mustHave[part]}.`, {
      reason: 'fault-invalid',
    });
  const operation = faultOperations.get(name);
  if (operation === undefined) throw refuse('operation');
  const effect = readEffect(effectText);
  if (effect === undefined) throw refuse('effect');
  const acts = readWhen(whenText);
  if (acts === undefined) throw refuse('when');
  return {operation, effect, acts};
}

function readEffect(text: string): Effect | undefined {
  const kind = plain.find((known) => known === text);
  if (kind !== undefined) return {kind};
  if (/^[2-5]\d\d$/.test(text))
    return {kind: 'status', status: Number(text), retryAfter: undefined};
  const [, status, duration = ''] = /^(?:latency=|([2-5]\d\d),retry-after=)(.+)$/.exec(text) ?? [];
  const milliseconds = readDuration(duration);
  const longest = status === undefined ? hour : longestRetryAfter;
  if (milliseconds === undefined || milliseconds > longest) return undefined;
  if (status === undefined) return {kind: 'latency', milliseconds};
  return {kind: 'status', status: Number(status), retryAfter: Math.ceil(milliseconds / 1000)};
}

function readWhen(text: string | undefined): FaultSpec['acts'] | undefined {
  if (text === undefined) return () => true;
  const [, percent, only, first] =
    /^(?:(\d{1,3}(?:\.\d+)?)%|#([1-9]\d*)|([1-9]\d*)x)$/.exec(text) ?? [];
  const share = Number(percent) / 100;
  if (share <= 1) return ({chance}) => chance < share;
  if (only !== undefined) return ({number}) => number === Number(only);
  if (first !== undefined) return ({applied}) => applied < Number(first);
  const milliseconds = readDuration(text);
  return milliseconds === undefined ? undefined : ({age}) => age < milliseconds;
}

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
