import {once} from 'node:events';
import {type ChildOptions, spawnChild} from './child.js';

/** A running command line, its output so far, and its end. */
export interface LiveChild {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves once stdout and stderr together match; rejects if the process ends first. */
  until(pattern: RegExp): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Closes our end of stdout. */
  closeStdout(): void;
  /** The exit code, or the signal that killed it. */
  ended(): Promise<{code: number | null; signal: NodeJS.Signals | null}>;
}

const running = new Set<LiveChild>();

/** Starts a command line that runs until it is stopped. */
export function liveChild(argv: readonly string[], options: ChildOptions = {}): LiveChild {
  const child = spawnChild(argv, options);
  const written = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      child.emit('wrote');
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(live);
    return {code, signal};
  });
  const live: LiveChild = {
    pid: child.pid!,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    async until(pattern) {
      while (!pattern.test(written.stdout + written.stderr)) {
        const over = ended.then(({code}) => {
          throw new Error(`ended with ${code} before ${pattern}: ${JSON.stringify(written)}`);
        });
        await Promise.race([once(child, 'wrote'), over]);
      }
    },
    signal: (signal) => child.kill(signal),
    closeStdout: () => child.stdout!.destroy(),
    ended: () => ended,
  };
  running.add(live);
  return live;
}

/** Runs a command line until its output matches, and ends it with SIGTERM. */
export async function runUntil(pattern: RegExp, argv: readonly string[], options: ChildOptions) {
  const child = liveChild(argv, options);
  await child.until(pattern);
  child.signal('SIGTERM');
  const {code} = await child.ended();
  return {code, stdout: child.stdout(), stderr: child.stderr()};
}

/** Kills the processes that a test left running. */
export async function killLiveChildren(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.signal('SIGKILL');
      await child.ended();
    }),
  );
}
