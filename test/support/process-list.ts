import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';

/** The command line of a process as `ps` shows it to every user. */
export function shownCommandLine(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path)
    ? readFileSync(path, 'utf8')
    : execFileSync('ps', ['-o', 'args=', '-p', String(pid)], {encoding: 'utf8'});
}
