import {readFileSync} from 'node:fs';
import {AppError} from '../../errors.js';

/** Open files reserved for everything but client connections: the store, the log, a database. */
const reserved = 256;

/** Minimum for a usable service: a single client may open several connections. */
const fewestConnections = 64;

/** The most connections, whatever the limit of open files. */
const mostConnections = 100_000;

/**
 * How many connections fit into the process's limit of open files (proc_pid_limits(5)) without
 * starving the store.
 *
 * @param limits content of `/proc/self/limits`
 * @throws AppError when the limit is too low
 */
export function connectionsThatFit(limits: string | undefined): number {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? [];
  // Unlimited, or unknown.
  if (soft === undefined) return mostConnections;
  const files = Number(soft);
  if (files < reserved + fewestConnections) {
    throw new AppError(
      'usage',
      `The limit of open files is ${files}; the service needs at least ${reserved + fewestConnections}.`,
      {reason: 'open-file-limit-too-low'},
    );
  }
  return Math.min(files - reserved, mostConnections);
}

/** Content of `/proc/self/limits`; undefined where the system has no such file. */
export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
