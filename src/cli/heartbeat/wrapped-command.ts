import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {constants} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {isatty} from 'node:tty';
import {promisify} from 'node:util';
import {AppError} from '../../errors.js';
import {errorCode} from '../../system/error-codes.js';
import {parseProcessStat} from '../../system/process-stat.js';
import {hasCode, reasonOf} from '../errors/system-error.js';
import {writeError} from '../terminal/streams.js';
import type {Guard} from './guard.js';

/**
 * Exit codes of failures before the command runs, as env(1) has them; `ours` is a failure of this process.
 */
export const startFailureCodes = {ours: 125, notExecutable: 126, notFound: 127} as const;

/** The command could not be started. */
export class CommandNotStarted extends AppError {
  /** The exit code of this process. */
  readonly processCode: number;

  constructor(command: string, cause: unknown) {
    super('usage', `Cannot run ${command}: ${reasonOf(cause)}.`, {
      hint: hasCode(cause, 'EACCES')
        ? 'Make it a file that this user may execute, or name another program after --.'
        : 'Write the name or the path of a program after --, and its arguments.',
      cause,
    });
    this.processCode = startFailureCode(cause);
  }
}

function startFailureCode(cause: unknown): number {
  if (hasCode(cause, 'ENOENT')) return startFailureCodes.notFound;
  const isOurs = hasCode(cause, 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE');
  return isOurs ? startFailureCodes.ours : startFailureCodes.notExecutable;
}

/** How a command ended: its exit code, or 128 and the number of the signal that killed it. */
export interface Ending {
  readonly code: number;
  readonly signal: NodeJS.Signals | undefined;
}

const forwarded = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Milliseconds between two checks of a command that is about to stop, and how many checks there are. */
const stopping = {pause: 10, checks: 100} as const;

/**
 * A command that runs beside this process: without a shell, in the same process group and terminal, and
 * with the same stdin, stdout and stderr, of which this process reads nothing.
 */
export class WrappedCommand {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    const handlers = this.#signalHandlers(pid);
    for (const [name, handler] of handlers) process.on(name, handler);
    child.on('error', (error) => writeError(`Cannot signal the command: ${reasonOf(error)}.`));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        for (const [name, handler] of handlers) process.off(name, handler);
        resolve({
          code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
          signal: signal ?? undefined,
        });
      });
    });
  }

  /** Starts a command. @throws CommandNotStarted */
  static async start(
    [program = '', ...args]: readonly string[],
    env: NodeJS.ProcessEnv,
    guard: Guard,
  ): Promise<WrappedCommand> {
    if (program === '') {
      // Node refuses an empty name; to a shell it is a program that does not exist.
      const cause = Object.assign(new Error('the name is empty'), {code: 'ENOENT'});
      throw new CommandNotStarted("''", cause);
    }
    let child: ChildProcess;
    try {
      child = spawn(program, args, {env, stdio: 'inherit'});
    } catch (error) {
      // Node throws some errors of the system, such as E2BIG, and emits the others.
      if (errorCode(error) === undefined) throw error;
      throw new CommandNotStarted(program, error);
    }
    const {pid} = child;
    if (pid === undefined) {
      const [error] = await once(child, 'error');
      throw new CommandNotStarted(program, error);
    }
    guard.watch(child, pid);
    return new WrappedCommand(child, pid);
  }

  /** Sends a signal, unless the command has ended. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  #signalHandlers(pid: number): ReadonlyMap<NodeJS.Signals, () => void> {
    // A terminal sends Ctrl-C to the command as well.
    const names = isatty(0) ? forwarded : [...forwarded, 'SIGINT' as const];
    return new Map<NodeJS.Signals, () => void>([
      ['SIGINT', () => undefined],
      ...names.map((name) => [name, () => this.signal(name)] as const),
      ['SIGTSTP', () => void stopAfter(pid)],
    ]);
  }
}

/**
 * Stops this process once the command has stopped. If a shell saw this process stop first, it would take
 * the terminal back while a full-screen program is still restoring it. A command that ignores Ctrl-Z keeps
 * running, and so does this process.
 */
async function stopAfter(pid: number): Promise<void> {
  for (let check = 0; check < stopping.checks; check += 1) {
    if ((await processState(pid)) === 'T') {
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    await sleep(stopping.pause);
  }
}

const run = promisify(execFile);

/** The state of a process as `ps` shows it: T for a stopped one. */
async function processState(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux')
      return parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8')).state;
    const {stdout} = await run('ps', ['-o', 'state=', '-p', String(pid)]);
    return stdout.trim()[0];
  } catch {
    return undefined;
  }
}
