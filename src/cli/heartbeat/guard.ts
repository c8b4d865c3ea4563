import {type ChildProcess, spawn} from 'node:child_process';

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
  readonly #input;
  readonly #pids = new Set<number>();

  /** @param onFailure called if there is no shell to guard with */
  constructor(onFailure: (error: Error) => void) {
    const shell = spawn('/bin/sh', ['-c', script, 'connectorctl-guard'], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.once('error', onFailure);
    shell.unref();
    this.#input = shell.stdin.on('error', () => undefined);
  }

  /**
   * Watches a process from its start to its end. After that the system may give its id to another one.
   *
   * @param id the process id of the child, or negative for its process group
   */
  watch(child: Pick<ChildProcess, 'once'>, id: number): void {
    this.#pids.add(id);
    this.#send();
    child.once('exit', () => {
      this.#pids.delete(id);
      this.#send();
    });
  }

  #send(): void {
    this.#input.write(`${[...this.#pids].join(' ')}\n`);
  }
}
