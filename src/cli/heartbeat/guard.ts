import {type ChildProcess, spawn} from 'node:child_process';

/**
 * Reads lines of process ids, negative for a group, each line in place of the last one. When its input
 * ends, it kills the processes of the last line. It ignores the signals that reach a whole unit or session.
 *
 * A line that begins with `?` announces a process that is about to start. If nothing followed, the script
 * searches for it in /proc (Linux): a sibling that has lost the same parent, is not older, and has the
 * connector's id in its environment. Fields 4 and 22 of the stat file are parent and start time (proc(5)).
 */
const script = `trap '' HUP INT QUIT TERM USR1 USR2
look() { read -r stat < /proc/$1/stat && set -- \${stat##*) } && parent=$2 && began=\${20}; }
while read -r line; do pids=$line; done
case $pids in '?'*)
  pids=\${pids#?}
  while look $$ && [ "$parent" = "$2" ]; do sleep 0.1; done
  reaper=$parent since=$began
  for entry in /proc/[0-9]*; do
    id=\${entry#/proc/}
    look $id && [ "$parent" = "$reaper" ] && [ "$began" -ge "$since" ] &&
      grep -qFxz -e "CONNECTORCTL_CONNECTOR_ID=$1" $entry/environ && pids="$pids -$id $id"
  done
esac
[ -z "$pids" ] || kill -9 $pids`;

/**
 * Kills processes when this process is gone, however it ended: nothing can catch SIGKILL. A shell in its own
 * session holds one end of a pipe, which the kernel closes at the end of this process.
 */
export class Guard {
  readonly #shell;
  readonly #pids = new Set<number>();

  /**
   * @param id of the connector, which the environment of the processes has
   * @param onFailure called if there is no shell to guard with
   */
  constructor(id: string, onFailure: (error: Error) => void) {
    // Not $PPID in the script: this process may be gone before the shell starts.
    const words = ['connectorctl-guard', id, String(process.pid)];
    this.#shell = spawn('/bin/sh', ['-c', script, ...words], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.once('error', onFailure);
    this.#shell.stdin.on('error', () => undefined);
    this.#shell.unref();
  }

  /**
   * Starts a process that is to be killed.
   *
   * @param idOf its process id, or negative to kill its process group
   */
  start<T extends ChildProcess>(startChild: () => T, idOf = (pid: number) => pid): T {
    this.#send('?');
    try {
      const child = startChild();
      if (child.pid !== undefined) this.#pids.add(idOf(child.pid));
      return child;
    } finally {
      this.#send();
    }
  }

  /** Must follow the end of the process at once: the system may give its id to another one. */
  remove(pid: number): void {
    this.#pids.delete(pid);
    this.#send();
  }

  #send(announcement = ''): void {
    this.#shell.stdin.write(`${announcement}${[...this.#pids].join(' ')}\n`);
  }
}
