import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {jsonLine, jsonText} from '../../terminal/formats/json.js';
import type {ProcessIo} from '../process/io.js';
import {
  type FrameworkError,
  namingFlags,
  usageError,
  withoutFrameworkWords,
} from './command-line.js';

/**
 * Turns anything thrown into an `AppError` with its hint. The framework's errors about the command line become `usage`;
 * any other error is a bug.
 */
export async function toAppError(
  error: unknown,
  {commandLine}: Pick<ProcessIo, 'commandLine'>,
): Promise<AppError> {
  if (error instanceof AppError) {
    // Loaded only for an error: other runs need none of these texts.
    const {withHint} = await import('./hints.js');
    return withoutFrameworkWords(namingFlags(withHint(error), commandLine), commandLine);
  }
  const thrown: FrameworkError = error instanceof Error ? error : new Error(String(error));
  if (thrown.oclif?.exit === 2) {
    const {otherFlag} = await import('./other-words.js');
    return usageError(thrown, commandLine, otherFlag);
  }
  return new AppError('internal', redactSecrets(`Unexpected error: ${thrown.message}`), {
    hint: 'This is a bug in connectorctl. Please report it with the command line and its output with CONNECTORCTL_DEBUG=1, which hides secrets.',
    cause: thrown,
  });
}

/** Reports anything thrown in the output mode of the command line, and returns the exit code. */
export async function report(thrown: unknown, io: ProcessIo): Promise<number> {
  const error = await toAppError(thrown, io);
  const {errorJson, renderError} = await import('./view.js');
  const {mode, isDebug} = io;
  if (mode === 'plugin') return reportAsPlugin(error, io);
  // A command that runs another program has chosen the exit code.
  const exitCode = (mode === 'command' && io.exitCode) || error.exitCode;
  // Set first: a full disk may end the process before this function returns.
  io.exitCode = exitCode;
  // Users know that they pressed Ctrl-C, so only a hint is worth showing.
  const isOwnInterrupt =
    io.signals.isExitCode(exitCode) && error.reason === 'cancelled' && error.hint === undefined;
  // An error quotes the command line, where a secret may be in the wrong place.
  if (mode === 'json' && !io.hasBegun) {
    const text = (io.hasJsonLines ? jsonLine : jsonText)(errorJson(error));
    await io.result(redactSecrets(`${text}\n`));
  } else if (!isOwnInterrupt) {
    io.error(redactSecrets(await renderError(error, await io.stderr.palette(), io.stderr.width)));
  }
  if (error.cause instanceof Error && isDebug) {
    io.error(redactSecrets(error.cause.stack ?? error.cause.message));
  }
  return exitCode;
}

/** A monitoring system accepts only four states, also for a wrong flag or an internal error. */
async function reportAsPlugin(error: AppError, io: ProcessIo): Promise<number> {
  const nagios = await import('../../report/formats/nagios.js');
  const state = nagios.stateOfError(error);
  io.exitCode = nagios.nagiosExitCodes[state];
  await io.result(nagios.nagiosOutput(state, redactSecrets(error.message)));
  return nagios.nagiosExitCodes[state];
}
