import {AppError} from '../../errors.js';
import {runShell} from '../supervision/shell.js';
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
 * Runs a check. Its output is discarded: stdout and stderr belong to the wrapped command. Its process group is
 * killed when the time is up or the signal aborts.
 *
 * @throws AppError `unavailable` unless it succeeds
 */
export async function runCheck(
  {command, env, timeout, guard}: HealthCheck,
  signal: AbortSignal,
): Promise<void> {
  const onStart: Parameters<typeof runShell>[1]['onStart'] = (child, group) =>
    guard.watch(child, -group);
  const failure = await runShell(command, {env, timeout, signal, onStart});
  if (failure !== undefined) {
    throw new AppError('unavailable', `no heartbeat sent: the check ${failure}`);
  }
}
