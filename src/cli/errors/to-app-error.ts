import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {
  type CommandLine,
  type FrameworkError,
  usageError,
  withoutFrameworkWords,
} from './usage-error.js';

/** A failure of a command. Whether its errors are JSON is known to the command alone. */
export class CommandFailure extends Error {
  readonly error: AppError;
  readonly json: boolean;

  constructor(error: AppError, json: boolean) {
    super(error.message);
    this.error = error;
    this.json = json;
  }
}

/**
 * Turns anything that was thrown into the one error class that people get to see. The framework's
 * complaints about the command line become `usage`; what remains is a bug of ours.
 */
export async function toAppError(error: unknown, line: CommandLine): Promise<AppError> {
  if (error instanceof AppError) {
    // Loaded only for an error: a run without one need not know the table.
    const {withHint} = await import('./hints.js');
    return withoutFrameworkWords(withHint(error), line);
  }
  const thrown: FrameworkError = error instanceof Error ? error : new Error(String(error));
  if (thrown.oclif?.exit === 2) return usageError(thrown, line);
  return new AppError('internal', redactSecrets(`Unexpected error: ${thrown.message}`), {
    hint: 'This is a bug in connectorctl. Please report it with the command line and the output of the same command with --debug (secrets are replaced in it).',
    cause: thrown,
  });
}
