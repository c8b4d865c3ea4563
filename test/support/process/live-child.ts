import {atEndOfTest} from './at-end-of-test.js';
import {type ChildOptions, spawnChild, watchOutput} from './child.js';

/** A running command line, its output so far, and its end. */
export type LiveChild = ReturnType<typeof liveChild>;

const running = new Set<LiveChild>();

/** Starts a command line that runs until it is stopped, or until the end of the test that starts it. */
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
  atEndOfTest(async () => running.has(live) && kill(live));
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

async function kill(child: LiveChild): Promise<void> {
  child.signal('SIGKILL');
  await child.ended();
}

/** Kills all processes that still run, also those that a suite has started before its tests. */
export async function killLiveChildren(): Promise<void> {
  await Promise.all(Array.from(running, kill));
}
