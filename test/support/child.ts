import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import type {CommandRun} from './run-command.js';
import {root} from './sources.js';

const bin = join(root, 'bin', 'run.js');

export interface ChildOptions {
  /** The whole environment beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin holds; without it stdin is closed. */
  readonly input?: string;
  readonly home?: string;
}

/** Starts the command line as its own process. */
export function startChild(
  argv: readonly string[],
  {env, input, home}: ChildOptions,
): ChildProcess {
  return spawn(process.execPath, [bin, ...argv], {
    env: {PATH: process.env['PATH'], HOME: home ?? '/nonexistent', ...env},
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

/** Runs the command line as its own process, as people and scripts do. */
export async function runChild(
  argv: readonly string[],
  options: ChildOptions = {},
): Promise<CommandRun> {
  const child = startChild(argv, options);
  child.stdin?.end(options.input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return {code, stdout, stderr};
}

/** A running `serve` and what it said. */
export interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** All of stderr so far. */
  stderr(): string;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<{code: number | null; signal: NodeJS.Signals | null}>;
}

/** Starts `serve` on a free port and waits until it listens. */
export async function startService(
  store: string,
  args: readonly string[] = [],
  options: ChildOptions = {},
): Promise<Service> {
  const child = startChild(['serve', '--port', '0', '--store', store, ...args], options);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const lines = createInterface({input: child.stdout!});
  const ended = once(child, 'exit');
  const [url] = await Promise.race([
    once(lines, 'line'),
    ended.then(([code]) => {
      throw new Error(`serve ended with exit code ${code}: ${stderr}`);
    }),
  ]);
  return {
    url,
    process: child,
    stderr: () => stderr,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, killedBy] = await ended;
      return {code, signal: killedBy};
    },
  };
}
