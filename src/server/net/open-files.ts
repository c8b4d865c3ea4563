import {readFileSync} from 'node:fs';

/** Files that the process opens beside its connections: the store's, the log's, a database's. */
const reserved = 256;

/**
 * How many connections fit into the process's limit of open files (proc_pid_limits(5)), so that they
 * never leave the store without one; undefined where the system does not tell.
 *
 * @param limits what `/proc/self/limits` says
 */
export function connectionsThatFit(limits: string | undefined): number | undefined {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? [];
  return soft === undefined ? undefined : Math.max(1, Number(soft) - reserved);
}

/** The limits of this process; undefined where the system does not tell. */
export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
