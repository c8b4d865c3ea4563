import {checkNames} from './client/settings.js';
import {readDuration} from './domain/duration.js';
import {AppError} from './errors.js';

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Whether time passes on its own. Default: `frozen` with a seed and without a rate, else `running`. */
  readonly clock?: 'frozen' | 'running' | undefined;
  /** Faults that are active from the start, such as `heartbeat:503@10%`. */
  readonly faults?: readonly string[] | undefined;
  /** The interval between heartbeats that the service asks for, such as `10s`. Default: `60s`. */
  readonly heartbeatInterval?: string | undefined;
  /** The port on 127.0.0.1. Default: a free one. */
  readonly port?: number | undefined;
  /** Virtual seconds per real second. Default: 1. */
  readonly rate?: number | undefined;
  /** Seed of all randomness, to repeat a run. Default: random. */
  readonly seed?: number | undefined;
}

/** A service on this machine, with a virtual clock, faults on demand, and records only in memory. */
export interface Sandbox {
  readonly baseUrl: string;
  /** The API key of the sandbox's first organization. */
  readonly apiKey: string;
  /** Advances the clock of this sandbox alone by a duration such as `10m`. */
  advance(duration: string): Promise<void>;
  /** Adds a fault `OPERATION:EFFECT[@WHEN]`, such as `heartbeat:503@10%`. */
  fault(spec: string): Promise<void>;
  /** Forgets connectors, tokens and added faults. The API keys and the time stay. */
  reset(): Promise<void>;
  /** Stops the sandbox; requests in flight have ten seconds to finish. */
  close(): Promise<void>;
}

/** The check of each option, and its valid values in words. */
const rules: Readonly<
  Record<keyof SandboxOptions, readonly [(value: unknown) => boolean, string]>
> = {
  clock: [(value) => value === 'frozen' || value === 'running', '"frozen" or "running"'],
  faults: [
    (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    'a list of strings',
  ],
  heartbeatInterval: [(value) => milliseconds(value) !== undefined, 'a duration such as "10s"'],
  port: [isWhole(0, 65_535), 'a whole number from 0 to 65535'],
  rate: [isWhole(1, 86_400), 'a whole number from 1 to 86400'],
  seed: [isWhole(0, Number.MAX_SAFE_INTEGER), 'a whole number from 0 on'],
};

/**
 * Starts a sandbox in this process. It prints nothing and handles no signals; `close` leaves nothing of it behind.
 *
 * @throws AppError of kind `usage` for an option that is not valid, `unavailable` when the port is taken
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options);
  const {startSandbox: start} = await import('./server/sandbox/start.js');
  const interval = milliseconds(options.heartbeatInterval);
  const {url, key, sandbox, close} = await start({
    ...options,
    heartbeatInterval: interval && interval / 1000,
  });
  let closing: Promise<void> | undefined;
  return {
    baseUrl: url,
    apiKey: key.secret,
    async advance(duration) {
      const far = milliseconds(duration);
      if (far !== undefined) return sandbox.clock.advance(far);
      throw new AppError('usage', `${JSON.stringify(duration)} is not a duration such as "10m".`);
    },
    async fault(spec) {
      sandbox.faults.add(spec);
    },
    reset: () => sandbox.reset(),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function checkOptions(options: SandboxOptions): void {
  checkNames('A sandbox', options, rules);
  for (const [name, value] of Object.entries(options)) {
    const [isValid, what] = rules[name as keyof SandboxOptions];
    if (value !== undefined && !isValid(value)) {
      throw new AppError('usage', `The option ${name} of a sandbox must be ${what}.`);
    }
  }
}

function milliseconds(value: unknown): number | undefined {
  return typeof value === 'string' ? readDuration(value) : undefined;
}

function isWhole(least: number, most: number): (value: unknown) => boolean {
  return (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}
