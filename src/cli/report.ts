import {redactSecrets} from '../domain/redaction.js';
import {AppError} from '../errors.js';

/** The framework's own errors carry the exit code here; two means that the command line is wrong. */
interface FrameworkError extends Error {
  readonly oclif?: {readonly exit?: number};
}

/**
 * Turns anything that was thrown into the one error class that people get to see. The framework's
 * complaints about the command line become `usage`; what remains is a bug of ours.
 */
export function toAppError(error: unknown, helpCommand: string): AppError {
  if (error instanceof AppError) return error;
  const thrown: FrameworkError = error instanceof Error ? error : new Error(String(error));
  if (thrown.oclif?.exit === 2) {
    // A stray argument may be a secret in the wrong place.
    return new AppError('usage', redactSecrets(firstParagraph(thrown.message)), {
      hint: `See: ${helpCommand} --help`,
    });
  }
  return new AppError('bug', redactSecrets(`Unexpected error: ${thrown.message}`), {
    hint: 'This is a bug in connectorctl. Please report it with the command line and the output of the same command with --debug (secrets are replaced in it).',
    cause: thrown,
  });
}

function firstParagraph(message: string): string {
  return message
    .replace(/\n?See more help with --help\s*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .trim();
}
