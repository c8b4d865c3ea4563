import {type ChildProcess, execFile, type SpawnOptions, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {constants} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {AppError} from '../../errors.js';
import {errorCode} from '../../system/error-codes.js';
import {parseProcessStat} from '../../system/process-stat.js';
import {hasCode, reasonOf} from '../errors/system-error.js';
import {inheritingStdio} from '../terminal/descriptors.js';
import {writeError} from '../terminal/streams.js';
import {forwardSignals} from './forwarding.js';
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

/** Milliseconds between two checks of a command that is about to stop, and how many checks a busy machine may need. */
const stopping = {pause: 10, checks: 1000} as const;

/**
 * Sets the variable by which systemd names the process that its sockets are for (sd_listen_fds(3)), which no process
 * can know before it runs.
 */
const adoptSockets = ['-c', 'unset LISTEN_PIDFDID; LISTEN_PID=$$ exec "$@"', 'sh'] as const;

/**
 * A command that runs beside this process: without a shell, in the same process group and terminal, and with
 * the same descriptors, from which this process reads nothing. It gets the signals that arrive here.
 */
export class WrappedCommand {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('error', (error) => writeError(`Cannot signal the command: ${reasonOf(error)}.`));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
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
    let child: ChildProcess | undefined;
    forwardSignals({
      forward: (signal) => child?.kill(signal),
      stop: () => child?.pid === undefined || void stopAfter(child.pid),
    });
    const adopts = env['LISTEN_PID'] === String(process.pid);
    const options: SpawnOptions = {env, stdio: inheritingStdio()};
    try {
      child = adopts
        ? spawn('/bin/sh', [...adoptSockets, program, ...args], options)
        : spawn(program, args, options);
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
    return new WrappedCommand(child);
  }

  /** Sends a signal, unless the command has ended. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
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
