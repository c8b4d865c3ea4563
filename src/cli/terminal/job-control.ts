import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {parseProcessStat} from '../../system/process-stat.js';

/** What the controlling terminal of this process has to do with its signals. */
export interface JobState {
  /** There is a controlling terminal, whatever stdin, stdout and stderr are. */
  readonly hasTerminal: boolean;
  /** The terminal sends the signals of its keys to this process and to its whole process group. */
  readonly isForeground: boolean;
  /** The kernel reports the loss of the terminal to this process, rather than a shell to its jobs. */
  readonly isLeader: boolean;
}

/** Asks the system, because each `fg`, `bg` and closed window changes the answer. */
export function readJobState(): JobState {
  try {
    return process.platform === 'linux'
      ? fromStat(readFileSync('/proc/self/stat', 'utf8'), process.pid)
      : fromPs(execFileSync('ps', ['-o', 'tty=,stat=', '-p', String(process.pid)]).toString());
  } catch {
    return {hasTerminal: false, isForeground: false, isLeader: false};
  }
}

/** Reads /proc/PID/stat. In a namespace of process ids, ids from outside are 0. */
export function fromStat(text: string, pid: number): JobState {
  const {group, session, terminal, foregroundGroup} = parseProcessStat(text);
  const hasTerminal = terminal !== '0';
  return {
    hasTerminal,
    isForeground: hasTerminal && group === foregroundGroup,
    isLeader: session === String(pid),
  };
}

/** Reads a line such as `ttys001  Ss+` or `??  S`. */
export function fromPs(line: string): JobState {
  const [terminal = '', state = ''] = line.trim().split(/\s+/);
  const hasTerminal = !/^[?-]/.test(terminal);
  return {
    hasTerminal,
    isForeground: hasTerminal && state.includes('+'),
    isLeader: state.includes('s'),
  };
}
