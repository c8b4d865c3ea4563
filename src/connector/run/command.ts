import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants} from 'node:os';
import {AppError, type ErrorKind} from '../../errors.js';
import {hasCode, reasonOf} from '../../system/system-error.js';
import type {Io} from '../../terminal/io.js';

/** Permanent failures: wrong settings and refusals of the service. */
const lasting: ReadonlySet<ErrorKind> = new Set(['usage', 'auth', 'not_found', 'conflict']);

/** The error for a command that could not be started. */
export class CommandNotStarted extends AppError {
  constructor(command: string, cause: unknown) {
    super('usage', `Cannot run ${command || "''"}: ${reasonOf(cause)}.`, {
      hint: hasCode(cause, 'EACCES')
        ? 'Make it a file that this user may execute, or name another program after --.'
        : 'Write the name or the path of a program after --, and its arguments.',
      cause,
    });
  }
}

/**
 * The exit code of a failure before the command runs. As in env(1): 127 for a command that is not found, 126 for one
 * that cannot be executed, 125 for another permanent failure. In addition: 124 for a failure that may be temporary.
 */
export function startFailureCode(error: AppError): number {
  if (!(error instanceof CommandNotStarted)) return lasting.has(error.kind) ? 125 : 124;
  // Node refuses an empty name.
  if (hasCode(error.cause, 'ENOENT', 'ERR_INVALID_ARG_VALUE')) return 127;
  return hasCode(error.cause, 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE') ? 124 : 126;
}

/** Signals of terminal keys: the terminal itself sends them to the command. */
const keySignals = ['SIGINT', 'SIGQUIT'] as const;
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', ...keySignals] as const;

/**
 * Starts a command without a shell. It inherits stdin, stdout and stderr, and gets the `forwarded` signals, those of
 * keys only without a terminal. This process does not read stdin. `ended` resolves with the exit code of the
 * command, or with 128 plus the number of the signal that killed it.
 *
 * @throws CommandNotStarted
 */
export async function startCommand(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<{readonly ended: Promise<number>}> {
  let child: ChildProcess;
  try {
    child = spawn(program, args, {env, stdio: 'inherit'});
    await once(child, 'spawn');
  } catch (error) {
    throw new CommandNotStarted(program, error);
  }
  // The command may, for instance, run as another user.
  child.on('error', (error) => io.error(`Cannot signal the command: ${reasonOf(error)}.`));
  const own = io.takeSignals();
  const ignored: ReadonlySet<string> = new Set(io.hasTerminal ? keySignals : []);
  for (const name of forwarded) {
    own.on(name, () => void (ignored.has(name) || child.kill(name)));
  }
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => {
      // A key signals both processes, this one perhaps after the exit of the command.
      if (signal !== null && ignored.has(signal)) own.note(signal);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  // In an object: returned alone, the promise would make the caller wait for the end of the command.
  return {ended};
}
