import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {root} from '../../test/support/sources.js';

/** How a service is ended. */
export type Ending = 'SIGTERM' | 'SIGKILL';

/** A real `serve` on a store that outlives it, at one port over all its lives. */
export class LiveService {
  readonly keyFile: string;
  readonly #store: string;
  readonly #interval: number;
  #port = 0;
  #child: ChildProcess | undefined;

  /** @param interval of heartbeats, in seconds */
  constructor(directory: string, interval: number) {
    this.#store = join(directory, 'store');
    this.keyFile = join(directory, 'key');
    this.#interval = interval;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts it and waits until it listens. */
  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [
        join(root, 'bin', 'run.js'),
        'serve',
        ...['--port', String(this.#port), '--store', this.#store, '--log-level', 'error'],
        ...['--heartbeat-interval', `${this.#interval}s`, '--token-ttl', '24h'],
        ...['--activation-failure-limit', '1000000'],
        ...(this.#port === 0 ? ['--bootstrap-key-file', this.keyFile] : []),
      ],
      {stdio: ['ignore', 'pipe', 'inherit']},
    );
    const [line] = await Promise.race([
      once(createInterface({input: child.stdout}), 'line'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`serve ended with exit code ${code}`);
      }),
    ]);
    this.#port = Number(new URL(String(line)).port);
    this.#child = child;
  }

  /** Ends it. @throws Error when it was to stop in order and did not */
  async end(signal: Ending): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = await exit;
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`serve stopped with exit code ${code}`);
  }
}
