import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Output} from './streams.js';

/** A stream, and its descriptor. */
type Target = Pick<NodeJS.WriteStream, 'write'> & {readonly fd: number};

/** Copies lines. It ignores the signals that reach a whole unit or session, and a reader that has gone. */
const script = `trap '' HUP INT PIPE QUIT TERM USR1 USR2
while IFS= read -r line; do printf '%s\\n' "$line"; done`;

/** Milliseconds for which the end of the process waits for a reader. */
const patience = 1000;

/** Bytes that wait for the other process, beside what the system holds. */
const mostWaiting = 64 * 1024;

/**
 * Writes lines to a descriptor whose reader may have stopped to read, without ever waiting for it. A write to a full
 * pipe blocks the whole process once the descriptor is in blocking mode, and it is, for all processes that share it,
 * as soon as one of them has inherited it. So another process waits in place of this one, which counts the texts that
 * it has to drop meanwhile, and says so later.
 */
export class Relay implements Output {
  /** Always ready: it drops what it cannot write. */
  readonly writableLength = 0;
  readonly #target: Target;
  readonly #watch: (child: ChildProcess, pid: number) => void;
  #child: ChildProcess | undefined;
  #dropped = 0;

  /** @param watch called with each process that it starts, and its id */
  constructor(target: Target, watch: (child: ChildProcess, pid: number) => void) {
    this.#target = target;
    this.#watch = watch;
  }

  write(text: string): boolean {
    const {pid, stdin} = this.#start();
    if (pid === undefined || stdin === null) return this.#target.write(text);
    if (stdin.writableLength > mostWaiting) this.#dropped += 1;
    else stdin.write(text, () => stdin.writableLength === 0 && this.#reportDropped());
    return true;
  }

  /** Resolves when everything is written, or when the reader takes too long. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const ended = once(child, 'exit');
    child.stdin?.end();
    const isOver = await Promise.race([ended.then(() => true), sleep(patience, false)]);
    if (!isOver) child.kill('SIGKILL');
  }

  #start(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = spawn('/bin/sh', ['-c', script, 'connectorctl-messages'], {
      cwd: '/',
      // A session without the terminal, which could stop a writer in the background.
      detached: true,
      env: {},
      stdio: ['pipe', this.#target.fd, 'ignore'],
    });
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget).once('error', forget);
    child.stdin?.on('error', () => undefined);
    if (child.pid !== undefined) this.#watch(child, child.pid);
    this.#child = child;
    return child;
  }

  #reportDropped(): void {
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.write(`${count} messages were lost: stderr was full.\n`);
  }
}
