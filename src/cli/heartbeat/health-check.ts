import {type SpawnOptions, spawn} from 'node:child_process';
import {once} from 'node:events';
import {AppError} from '../../errors.js';
import {hasCode, reasonOf} from '../errors/system-error.js';
import type {Guard} from './guard.js';

/** A command line for `sh -c` that succeeds while the wrapped command is healthy. */
export interface HealthCheck {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds until it counts as failed. */
  readonly timeout: number;
  readonly guard: Pick<Guard, 'watch'>;
}

/**
 * Runs a check. Its output is discarded: stdout and stderr belong to the wrapped command. It runs in its own
 * process group, which is killed when the time is up or the signal aborts.
 *
 * @throws AppError `unavailable` unless it succeeds
 */
export async function runCheck(
  {command, env, timeout, guard}: HealthCheck,
  signal: AbortSignal,
): Promise<void> {
  const options: SpawnOptions = {detached: true, env, stdio: 'ignore'};
  const child = spawn('/bin/sh', ['-c', command], options);
  const {pid} = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    throw failed(`cannot run: ${reasonOf(error)}`);
  }
  guard.watch(child, -pid);
  let isLate = false;
  const kill = () => killGroup(pid);
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeout);
  signal.addEventListener('abort', kill);
  const [code, killedBy] = await once(child, 'exit');
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  if (isLate) throw failed(`took longer than ${timeout / 1000} s`);
  if (code !== 0) throw failed(code === null ? `was killed by ${killedBy}` : `exited with ${code}`);
}

function failed(how: string): AppError {
  return new AppError('unavailable', `no heartbeat sent: the check ${how}`);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
