import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

/** What `crash-child.ts` is to do. */
export interface ChildTask {
  readonly directory: string;
  /** What the ids that it makes begin with. */
  readonly prefix: string;
  /** Compact at once, beside the work. */
  readonly compact?: boolean;
  /** Kill itself just before this file call. */
  readonly dieAt?: {readonly call: string; readonly file: string};
}

/** One line of what the child tells. All but `begin` are told when the store has answered. */
export type Told =
  | {readonly did: 'open'; readonly pid: number}
  | {readonly did: 'fail'; readonly kind: string; readonly message: string}
  | {readonly did: 'begin' | 'redeem'; readonly token: string; readonly connectorId: string}
  | {readonly did: 'create'; readonly token: string}
  | {readonly did: 'beat'; readonly connectorId: string; readonly at: number};

/** Child processes on a store, from one bundle so that each starts quickly. */
export class Children {
  readonly #directory: string;
  readonly #running = new Set<ChildProcess>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async prepare(): Promise<Children> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'connectorctl-child-'));
    await build({
      entryPoints: [fileURLToPath(new URL('crash-child.ts', import.meta.url))],
      outfile: path.join(directory, 'child.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    return new Children(directory);
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

/** A child process and what it has told so far. */
export class RunningChild {
  readonly told: Told[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<NodeJS.Signals | null>;
  readonly #waiting: {readonly count: number; readonly resolve: () => void}[] = [];

  constructor(child: ChildProcess) {
    this.#child = child;
    const {stdout} = child;
    if (stdout === null) throw new Error('the child has no output');
    const lines = createInterface({input: stdout});
    lines.on('line', (line) => {
      this.told.push(JSON.parse(line));
      this.#wake();
    });
    this.#ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
      this.#wake(Number.POSITIVE_INFINITY);
      return child.signalCode;
    });
  }

  #wake(count = this.told.length): void {
    for (const waiting of this.#waiting) if (waiting.count <= count) waiting.resolve();
  }

  /** Waits until the child has told so many things, or has ended. */
  async tells(count: number): Promise<void> {
    if (this.told.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({count, resolve}));
  }

  /** Waits until the child has ended and all that it told has been read; the signal that ended it. */
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
