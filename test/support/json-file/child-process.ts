import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** The argument of `crash-child.ts`. */
export interface ChildTask {
  readonly directory: string;
  /** Prefix of the ids that it creates. */
  readonly prefix: string;
  /** Remove all connectors, and do nothing else. */
  readonly removes?: boolean;
}

/** One line of a child's output. It reports all but `begin` after the store's promise has resolved. */
export type Report =
  | {readonly did: 'open'; readonly pid: number}
  | {readonly did: 'fail'; readonly kind: string; readonly message: string}
  | {readonly did: 'begin' | 'redeem'; readonly token: string; readonly connectorId: string}
  | {readonly did: 'create'; readonly token: string}
  | {readonly did: 'remove'; readonly ids: readonly string[]}
  | {readonly did: 'heartbeat'; readonly connectorId: string; readonly at: number};

const program = fileURLToPath(new URL('crash-child.ts', import.meta.url));

/** Starts a child process on a store. It is killed with the test that starts it. */
export function startChild(task: ChildTask) {
  const words = ['--import=tsx', program, JSON.stringify(task)];
  const child = spawn(process.execPath, words, {stdio: ['ignore', 'pipe', 'inherit']});
  atEndOfTest(async () => child.kill('SIGKILL'));
  return watch(child);
}

/** A child process and its reports so far. */
function watch(child: ChildProcess) {
  const reports: Report[] = [];
  const lines = createInterface({input: child.stdout!});
  lines.on('line', (line) => {
    reports.push(JSON.parse(line));
    child.emit('report');
  });
  let isOver = false;
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
    isOver = true;
    child.emit('report');
    return child.signalCode;
  });
  return {
    reports,
    /** Waits for this many reports, or for the end of the child. */
    async waitForReports(count: number): Promise<void> {
      while (reports.length < count && !isOver) await once(child, 'report');
    },
    /** Resolves once the child has ended and its output is read, to the signal that ended it. */
    ended,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
