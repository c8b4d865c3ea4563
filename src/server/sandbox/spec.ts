import {headers, type Operation} from '../../contract/index.js';
import {faultOperations} from '../../contract/sandbox.js';
import {readDuration} from '../../domain/duration.js';

/** The effect of a fault on a request. Durations are in real milliseconds. */
export type Effect =
  | {readonly kind: 'status'; readonly status: number; readonly retryAfter: number | undefined}
  | {readonly kind: 'latency'; readonly milliseconds: number}
  | {readonly kind: 'slow-body'; readonly milliseconds: number}
  | {readonly kind: 'date'; readonly milliseconds: number}
  | {readonly kind: 'reset' | 'drop-response' | 'truncate' | 'garbage'};

/** Selects the matching requests on which a fault acts. */
export type When =
  | {readonly kind: 'always'}
  | {readonly kind: 'share'; readonly share: number}
  | {readonly kind: 'only' | 'first'; readonly count: number}
  /** In virtual milliseconds since the fault was added. */
  | {readonly kind: 'until'; readonly milliseconds: number};

/** A fault, parsed from `OPERATION:EFFECT[@WHEN]`. */
export interface FaultSpec {
  readonly operation: Operation | '*';
  readonly effect: Effect;
  readonly when: When;
}

/** An invalid fault specification; the message names the allowed values. */
export class FaultSpecError extends Error {
  override readonly name = 'FaultSpecError';
}

/** The name of an operation in fault specifications and in the list of requests. */
export function operationName(operation: Operation): string {
  return [...faultOperations].find(([, value]) => value === operation)?.[0] ?? operation;
}

/** Maximum latency, and maximum duration of a slow body. */
const longestWait = 60 * 60 * 1000;

/**
 * Maximum error of a `Date` header, and maximum `Retry-After`, in milliseconds: ten years from any time of the clock
 * have a year of four digits.
 */
const furthest = 3650 * 24 * 60 * 60 * 1000;

/** Default duration of a slow body. */
const defaultSlowness = 5000;

/** @throws FaultSpecError */
export function parseFault(text: string): FaultSpec {
  const [, name = '', effect = '', when] = /^([^:]*):([^@]*)(?:@(.*))?$/s.exec(text.trim()) ?? [];
  const operation = faultOperations.get(name);
  if (operation === undefined) {
    const known = [...faultOperations.keys()].join(', ');
    throw new FaultSpecError(`must begin with an operation (${known}) and a colon`);
  }
  return {operation, effect: parseEffect(effect), when: parseWhen(when)};
}

function parseEffect(text: string): Effect {
  const [, name = '', value] = /^([\w-]+)(?:[=,](.*))?$/.exec(text) ?? [];
  if (/^[2-5]\d\d$/.test(name)) return parseStatus(Number(name), value);
  if (name === 'latency') return {kind: name, milliseconds: wait(name, value ?? '')};
  if (name === 'slow-body') {
    return {kind: name, milliseconds: value === undefined ? defaultSlowness : wait(name, value)};
  }
  if (name === 'date') return {kind: name, milliseconds: parseShift(value)};
  if (isPlain(name) && value === undefined) return {kind: name};
  throw new FaultSpecError(
    `must have an effect: a status such as 503 or 503,${headers.retryAfter}=30s, latency=2s, reset, drop-response, slow-body, truncate, garbage or date=+5m`,
  );
}

const plain = ['reset', 'drop-response', 'truncate', 'garbage'] as const;

function isPlain(name: string): name is (typeof plain)[number] {
  return plain.some((known) => known === name);
}

function parseStatus(status: number, option: string | undefined): Effect {
  if (option === undefined) return {kind: 'status', status, retryAfter: undefined};
  const [, duration] = new RegExp(`^${headers.retryAfter}=(.+)$`).exec(option) ?? [];
  const retryAfter = duration === undefined ? undefined : readDuration(duration);
  if (retryAfter === undefined || retryAfter > furthest) {
    const {retryAfter: name} = headers;
    throw new FaultSpecError(
      `allows only ${name}=DURATION after a status, such as ${name}=30s, with 3650d at most`,
    );
  }
  return {kind: 'status', status, retryAfter: Math.ceil(retryAfter / 1000)};
}

function wait(name: string, text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds !== undefined && milliseconds <= longestWait) return milliseconds;
  throw new FaultSpecError(
    `must have the form ${name}=DURATION, such as ${name}=2s, with 1h at most`,
  );
}

function parseShift(text = ''): number {
  const [, sign, duration = ''] = /^([+-])(.+)$/.exec(text) ?? [];
  const milliseconds = readDuration(duration);
  if (milliseconds === undefined || milliseconds > furthest) {
    throw new FaultSpecError(
      'must have the form date=+DURATION or date=-DURATION, such as date=+5m, with 3650d at most',
    );
  }
  return sign === '-' ? -milliseconds : milliseconds;
}

function parseWhen(text: string | undefined): When {
  if (text === undefined) return {kind: 'always'};
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) {
    return {kind: 'share', share: Number(percent) / 100};
  }
  const [, only, first] = /^(?:#([1-9]\d{0,8})|([1-9]\d{0,8})x)$/.exec(text) ?? [];
  if (only !== undefined) return {kind: 'only', count: Number(only)};
  if (first !== undefined) return {kind: 'first', count: Number(first)};
  const milliseconds = readDuration(text);
  if (milliseconds !== undefined) return {kind: 'until', milliseconds};
  throw new FaultSpecError(
    'must end with @ and a share such as 10%, one request such as #3, the next ones such as 3x, or a duration such as 5m',
  );
}
