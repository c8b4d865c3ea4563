import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

/** The argument of `crash-child.ts`. */
export interface ChildTask {
  readonly directory: string;
  /** Prefix of the ids that it creates. */
  readonly prefix: string;
  /** Compact at the start, concurrently with the work. */
  readonly compact?: boolean;
  /** Remove all connectors, and do nothing else. */
  readonly removes?: boolean;
  /** Once it has opened the store, the process kills itself just before this file call. */
  readonly dieAt?: {readonly call: string; readonly file: string};
}

/** One line of a child's output. It reports all but `begin` after the store's promise has resolved. */
export type Report =
  | {readonly did: 'open'; readonly pid: number}
  | {readonly did: 'fail'; readonly kind: string; readonly message: string}
  | {readonly did: 'begin' | 'redeem'; readonly token: string; readonly connectorId: string}
  | {readonly did: 'create'; readonly token: string}
  | {readonly did: 'remove'; readonly ids: readonly string[]}
  | {readonly did: 'heartbeat'; readonly connectorId: string; readonly at: number};

/** Child processes on a store, started from one bundle for speed. */
class Children {
  #directory = '';
  readonly #running = new Set<ChildProcess>();

  async prepare(): Promise<void> {
    this.#directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-child-'));
    await build({
      entryPoints: [fileURLToPath(new URL('crash-child.ts', import.meta.url))],
      outfile: path.join(this.#directory, 'child.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
  }

  start(task: ChildTask): RunningChild {
    const child = spawn(
      process.execPath,
      [path.join(this.#directory, 'child.mjs'), JSON.stringify(task)],
      {stdio: ['ignore', 'pipe', 'inherit']},
    );
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return new RunningChild(child);
  }

  async remove(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await rm(this.#directory, {recursive: true, force: true});
  }
}

/** Lets the tests of a suite start child processes, and kills the remaining ones at its end. */
export function useChildren(): Children {
  const children = new Children();
  before(() => children.prepare());
  after(() => children.remove());
  return children;
}

/** A child process and its reports so far. */
class RunningChild {
  readonly reports: Report[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<NodeJS.Signals | null>;
  readonly #waiting: {readonly count: number; readonly resolve: () => void}[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
    const {stdout} = child;
    if (stdout === null) throw new Error('the child has no output');
    const lines = createInterface({input: stdout});
    lines.on('line', (line) => {
      this.reports.push(JSON.parse(line));
      this.#wake();
    });
    this.#ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
      this.#wake(Number.POSITIVE_INFINITY);
      return child.signalCode;
    });
  }

  #wake(count = this.reports.length): void {
    for (const waiting of this.#waiting) if (waiting.count <= count) waiting.resolve();
  }

  /** Waits for this many reports, or for the end of the child. */
  async waitForReports(count: number): Promise<void> {
    if (this.reports.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({count, resolve}));
  }

  /** Waits until the child has ended and its output is read. @returns the signal that ended it */
  ended(): Promise<NodeJS.Signals | null> {
    return this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
