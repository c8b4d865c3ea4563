import {headers, type Operation} from '../../contract/index.js';
import {faultOperations} from '../../contract/sandbox.js';
import {readDuration} from '../../domain/duration.js';
import {AppError} from '../../errors.js';

const plain = ['reset', 'drop-response', 'truncate', 'garbage'] as const;

/** The effect of a fault on a request. Durations are in real milliseconds. */
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
