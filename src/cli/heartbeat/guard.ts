import {spawn} from 'node:child_process';

/**
 * Reads lines of process ids, negative for a group, each line in place of the last one. When its input
 * ends, it kills the processes of the last line. It ignores the signals that reach a whole unit or session.
 */
const script = `trap '' HUP INT QUIT TERM USR1 USR2
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -9 $pids`;

/**
 * Kills processes when this process is gone, however it ended: nothing can catch SIGKILL. A shell in its own
 * session holds one end of a pipe, which the kernel closes at the end of this process.
 */
export class Guard {
  readonly #shell;
  readonly #pids = new Set<number>();

  /** @param onFailure called if there is no shell to guard with */
  constructor(onFailure: (error: Error) => void) {
    this.#shell = spawn('/bin/sh', ['-c', script, 'connectorctl-guard'], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.once('error', onFailure);
    this.#shell.stdin.on('error', () => undefined);
    this.#shell.unref();
  }

  /** @param pid of a process, or negative of a process group */
  add(pid: number): void {
    this.#pids.add(pid);
    this.#send();
  }

  /** Must follow the end of the process at once: the system may give its id to another one. */
  remove(pid: number): void {
    this.#pids.delete(pid);
    this.#send();
  }

  #send(): void {
    this.#shell.stdin.write(`${[...this.#pids].join(' ')}\n`);
  }
}
