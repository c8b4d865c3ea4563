import {type ChildProcess, spawn} from 'node:child_process';

/**
 * Reads lines of process ids, negative for a group, each line in place of the last one. When its input
 * ends, it kills the processes of the last line. It ignores the signals that reach a whole unit or session.
 */
const script = `trap '' HUP INT QUIT TERM USR1 USR2
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -9 $pids`;

/**
 * Kills processes when this process is gone, even after SIGKILL, which no process can handle. A shell in its own
 * session reads from a pipe; when this process ends, the kernel closes its end of the pipe. A SIGKILL between the
 * start of a command and the shell's reading of its id, a few milliseconds, leaves the command running.
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
   * Watches a running process until it exits: its id may then be reused.
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
