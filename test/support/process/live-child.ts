import {atEndOfTest} from './at-end-of-test.js';
import {type ChildOptions, spawnChild, watchOutput} from './child.js';

/** A running command line, its output so far, and its end. */
export type LiveChild = ReturnType<typeof liveChild>;

/** Starts a command line that runs until it is stopped, or until the end of the test that starts it. */
export function liveChild(argv: readonly string[], options: ChildOptions = {}) {
  const child = spawnChild(argv, options);
  const output = watchOutput(child);
  atEndOfTest(() => {
    child.kill('SIGKILL');
    return output.ended();
  });
  return {
    ...output,
    pid: child.pid!,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Closes our end of stdout. */
    closeStdout: () => child.stdout!.destroy(),
  };
}

/** Runs a command line until its output matches, and ends it with SIGTERM. */
export async function runUntil(pattern: RegExp, argv: readonly string[], options: ChildOptions) {
  const child = liveChild(argv, options);
  await child.until(pattern);
  child.signal('SIGTERM');
  const {code} = await child.ended();
  return {code, stdout: child.stdout(), stderr: child.stderr()};
}
