import {readFileSync} from 'node:fs';
import {AppError} from '../../errors.js';

/** Open files reserved for everything but client connections: the store, the log, a database. */
const reserved = 256;

/** Minimum for a usable service: a single client may open several connections. */
const fewestConnections = 64;

/**
 * How many connections fit into the process's limit of open files (proc_pid_limits(5)) without
 * starving the store; undefined where the limit is unknown.
 *
 * @param limits content of `/proc/self/limits`
 * @throws AppError when the limit is too low
 */
export function connectionsThatFit(limits: string | undefined): number | undefined {
  const files = openFileLimit(limits);
  if (files === undefined) return undefined;
  if (files < reserved + fewestConnections) {
    throw new AppError(
      'usage',
      `The limit of open files is ${files}; the service needs at least ${reserved + fewestConnections}.`,
      {reason: 'open-file-limit-too-low'},
    );
  }
  return files - reserved;
}

/** The limit of open files; undefined if it is unlimited or unknown. */
export function openFileLimit(limits: string | undefined): number | undefined {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? [];
  return soft === undefined ? undefined : Number(soft);
}

/** Content of `/proc/self/limits`; undefined where the system has no such file. */
export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
