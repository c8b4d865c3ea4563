import {type ChildOptions, spawnChild, watchOutput} from './child.js';

/** A running command line, its output so far, and its end. */
export type LiveChild = ReturnType<typeof liveChild>;

const running = new Set<LiveChild>();

/** Starts a command line that runs until it is stopped. */
export function liveChild(argv: readonly string[], options: ChildOptions = {}) {
  const child = spawnChild(argv, options);
  const output = watchOutput(child);
  const live = {
    ...output,
    pid: child.pid!,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Closes our end of stdout. */
    closeStdout: () => child.stdout!.destroy(),
  };
  running.add(live);
  void output.ended().then(() => running.delete(live));
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
