import process from 'node:process';
import {errorCode} from './error-codes.js';

/**
 * Fields of /proc/PID/stat (proc_pid_stat(5)): the state, process group and session, the number of the controlling
 * terminal (`0` without one) and its foreground process group, and the start time in clock ticks since boot.
 */
export function parseProcessStat(text: string) {
  // Field 2 is the command in parentheses, and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0],
    group: fields[2],
    session: fields[3],
    terminal: fields[4],
    foregroundGroup: fields[5],
    started: fields[19] ?? null,
  };
}

/**
 * Whether a process still runs, rather than a later one with the same pid.
 *
 * @param started its start time; null where the system does not provide it
 * @param readStat reads /proc/PID/stat; null if it does not exist
 */
export async function isProcessRunning(
  {pid, started}: {readonly pid: number; readonly started: string | null},
  readStat: (pid: number) => Promise<string | null>,
): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const text = await readStat(pid);
  if (text === null || started === null) return true;
  const stat = parseProcessStat(text);
  // A zombie has ended, but its parent has not collected its status.
  return stat.started === started && stat.state !== 'Z' && stat.state !== 'X';
}
