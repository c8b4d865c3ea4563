import {existsSync} from 'node:fs';
import {constants} from 'node:os';
import type {ErrorKind} from '../../errors.js';
import type {StopSignal} from '../../terminal/io.js';

/** The signals that stop a process, and the error of the stopped command. */
export const stopSignals = {
  SIGINT: 'cancelled',
  SIGTERM: 'terminated',
  SIGHUP: 'hung_up',
} as const satisfies Record<StopSignal, ErrorKind>;

/** Milliseconds that a process has for a clean exit after a stop signal: a reader of the output may be stuck. */
export const exitWithin = 900;

/** The process with the call that replaces it, which Node has from 22.15 on. */
type Replaceable = NodeJS.Process & {
  readonly execve?: (file: string, args: readonly string[], env: object) => void;
};

/**
 * Exits without the wait of `process.exit` for a DNS lookup: without a response from the name server, up to 10 s with
 * the usual settings. Older versions of Node cannot avoid it.
 */
export function exit(code: number): never {
  const {execve}: Replaceable = process;
  const shell = '/bin/sh';
  // After the work of all other listeners.
  process.once('exit', () => {
    const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap');
    if (isLookingUp && existsSync(shell)) execve?.(shell, ['sh', '-c', `exit ${code}`], {});
  });
  process.exit(code);
}

/** Ends the process as the signal would, after its work at each exit, such as removing temporary files. */
export function exitBySignal(signal: StopSignal): never {
  process.once('exit', () => {
    // Process 1 of a container does not die of a signal.
    if (process.pid === 1) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  exit(128 + constants.signals[signal]);
}

/**
 * Ends the process as the loss of its terminal does, at once. The exit of Node.js would restore the modes of a terminal
 * that is gone, and abort.
 */
export function hangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
