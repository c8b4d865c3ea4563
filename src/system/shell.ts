import {type SpawnOptions, spawn} from 'node:child_process';
import {once} from 'node:events';
import {hasCode, reasonOf} from './system-error.js';

interface ShellOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds until the command's process group is killed. */
  readonly timeout: number;
  /** Kills the process group when it aborts. */
  readonly signal: AbortSignal;
  /** Written to the command's stdin; undefined for none. */
  readonly input?: string | undefined;
  /** File descriptor for the command's stdout and stderr; undefined discards them. */
  readonly output?: number | undefined;
}

/** Variables that may hold a key, a token or a password, or that systemd sets for this process alone (sd_notify(3)). */
const hidden =
  /^(?:CONNECTORCTL_(?:\w*API_KEY|\w*TOKEN|STORE)|NOTIFY_SOCKET|WATCHDOG_USEC|WATCHDOG_PID)$/;

/** The environment without the hidden variables, for a command of the user. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.test(name)));
}

/**
 * Runs a command line by `sh -c` in its own process group.
 *
 * @returns the failure, such as `exited with 1`; undefined on success
 */
export async function runShell(
  command: string,
  options: ShellOptions,
): Promise<string | undefined> {
  const {env, timeout, signal, input, output = 'ignore'} = options;
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const spawned: SpawnOptions = {detached: true, env, stdio: [stdin, output, output]};
  const child = spawn('/bin/sh', ['-c', command], spawned);
  const {pid} = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    return `cannot run: ${reasonOf(error)}`;
  }
  // The command may end without reading its input (EPIPE).
  child.stdin?.on('error', () => undefined).end(input);
  let isLate = false;
  const kill = () => killGroup(pid);
  // Kills the command even when a stop signal ends this process at once.
  process.once('exit', kill);
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeout);
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill);
  const [code, killedBy] = await once(child, 'exit');
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  process.off('exit', kill);
  if (isLate) return `took longer than ${timeout / 1000} s`;
  if (code === 0) return undefined;
  return code === null ? `was killed by ${killedBy}` : `exited with ${code}`;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
