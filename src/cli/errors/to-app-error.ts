import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {
  type CommandLine,
  type FrameworkError,
  usageError,
  withoutFrameworkWords,
} from './usage-error.js';

/**
 * Turns anything thrown into an `AppError`. The framework's errors about the command line become `usage`;
 * any other error is a bug.
 */
export async function toAppError(error: unknown, line: CommandLine): Promise<AppError> {
  if (error instanceof AppError) {
    // Loaded only for an error: other runs do not need the table.
    const {withHint} = await import('./hints.js');
    return withoutFrameworkWords(withHint(error), line);
  }
  const thrown: FrameworkError = error instanceof Error ? error : new Error(String(error));
  if (thrown.oclif?.exit === 2) return usageError(thrown, line);
  return new AppError('internal', redactSecrets(`Unexpected error: ${thrown.message}`), {
    hint: 'This is a bug in connectorctl. Please report it with the command line and its output with --debug, which hides secrets.',
    cause: thrown,
  });
}
