import type {AppError} from '../../errors.js';

/** What to do next about an error, as a sentence or as a literal command. */
type Hint = string | ((error: AppError) => string);

/**
 * What to do about the errors of client, server and store, by their reason. They know neither the
 * flags nor the commands of the command line; this is the one place that says what to type.
 */
const hints: Readonly<Record<string, Hint>> = {};

/** The error with the hint for its reason, unless it has a hint already. */
export function withHint(error: AppError): AppError {
  const hint = error.reason === undefined ? undefined : hints[error.reason];
  if (error.hint !== undefined || hint === undefined) return error;
  return error.with({hint: typeof hint === 'string' ? hint : hint(error)});
}
