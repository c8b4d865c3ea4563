import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants} from 'node:os';
import {isatty} from 'node:tty';
import {AppError, type ErrorKind} from '../../errors.js';
import {hasCode, reasonOf} from '../../system/system-error.js';
import {isStopSignal, takeSignals} from '../../terminal/signals.js';
import {writeError} from '../../terminal/streams.js';

/**
 * Exit codes of failures before the command runs, as env(1) has them; `ours` is a failure of this process, and
 * `mayPass` one that another start may not meet.
 */
const startFailureCodes = {
  mayPass: 124,
  ours: 125,
  notExecutable: 126,
  notFound: 127,
} as const;

/** Permanent failures: wrong settings and refusals of the service. */
const lasting: ReadonlySet<ErrorKind> = new Set(['usage', 'auth', 'not_found', 'conflict']);

/** The exit code of a failure of this process before the command runs. */
export function startFailureCode(kind: ErrorKind): number {
  return startFailureCodes[lasting.has(kind) ? 'ours' : 'mayPass'];
}

/** The command could not be started. */
export class CommandNotStarted extends AppError {
  /** The exit code of this process. */
  readonly processCode: number;

  constructor(command: string, cause: unknown) {
    super('usage', `Cannot run ${command || "''"}: ${reasonOf(cause)}.`, {
      hint: hasCode(cause, 'EACCES')
        ? 'Make it a file that this user may execute, or name another program after --.'
        : 'Write the name or the path of a program after --, and its arguments.',
      cause,
    });
    this.processCode = processCodeOf(cause);
  }
}

function processCodeOf(cause: unknown): number {
  // Node refuses an empty name.
  if (hasCode(cause, 'ENOENT', 'ERR_INVALID_ARG_VALUE')) return startFailureCodes.notFound;
  const mayPass = hasCode(cause, 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE');
  return mayPass ? startFailureCodes.mayPass : startFailureCodes.notExecutable;
}

/** A terminal sends those of its keys to the command too. */
const keySignals = ['SIGINT', 'SIGQUIT'] as const;
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', ...keySignals] as const;

/**
 * Starts a command beside this process: without a shell, with the same stdin, stdout and stderr, of which this process
 * reads nothing. It gets the signals that arrive here. `ended` resolves with its exit code, or with 128 and the number of
 * the signal that killed it.
 *
 * @throws CommandNotStarted
 */
export async function startCommand(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{readonly ended: Promise<number>}> {
  let child: ChildProcess | undefined;
  const own = takeSignals();
  const ignored: ReadonlySet<string> = new Set(isatty(0) ? keySignals : []);
  for (const name of forwarded) {
    const forward = () => ignored.has(name) || child?.kill(name);
    if (isStopSignal(name)) own.on(name, forward);
    else process.on(name, forward);
  }
  try {
    child = spawn(program, args, {env, stdio: 'inherit'});
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
  } catch (error) {
    throw new CommandNotStarted(program, error);
  }
  const started = child.on('error', (error) =>
    writeError(`Cannot signal the command: ${reasonOf(error)}.`),
  );
  const ended = new Promise<number>((resolve) => {
    started.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  // A promise in a promise would be awaited here.
  return {ended};
}
