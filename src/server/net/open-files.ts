import {readFileSync} from 'node:fs';
import {AppError} from '../../errors.js';

/** Files that the process opens beside its connections: the store's, the log's, a database's. */
const reserved = 256;

/** Fewer connections than these are no service: one client alone may open some. */
const fewestConnections = 64;

/**
 * How many connections fit into the process's limit of open files (proc_pid_limits(5)), so that they
 * never leave the store without one; undefined where the system does not tell.
 *
 * @param limits what `/proc/self/limits` says
 * @throws AppError when too few fit
 */
export function connectionsThatFit(limits: string | undefined): number | undefined {
  const files = openFileLimit(limits);
  if (files === undefined) return undefined;
  if (files < reserved + fewestConnections) {
    throw new AppError(
      'usage',
      `The limit of open files is ${files}; the service needs at least ${reserved + fewestConnections}.`,
      {
        hint: 'Raise it, for instance with ulimit -n 4096, LimitNOFILE= in a systemd unit, or --ulimit nofile=4096 for a container.',
      },
    );
  }
  return files - reserved;
}

/** The limit of open files; undefined where there is none, or where the system does not tell. */
export function openFileLimit(limits: string | undefined): number | undefined {
  const [, soft] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? [];
  return soft === undefined ? undefined : Number(soft);
}

/** The limits of this process; undefined where the system does not tell. */
export function readProcessLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
