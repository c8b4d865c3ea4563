/** A database URL with a password, which may hold characters that should end it. */
const urlWithPassword = /(postgres(?:ql)?:\/\/)(?:.*:.*@|.*\?.*password).*/is;

/** Without this, compiling the expression takes a millisecond at each start. */
const mayBeDatabase = (word: string) => word.includes('://');

/** Hides secret arguments from the process list. */
export function hideSecretArguments(argv: readonly string[]): void {
  const title = titleFor(argv);
  if (title !== undefined) process.title = title;
}

/**
 * The process title that replaces a database URL with a password. Undefined without one: an operator must be able to
 * distinguish one `serve` from another.
 */
export function titleFor(argv: readonly string[]): string | undefined {
  if (!argv.some((word) => mayBeDatabase(word) && urlWithPassword.test(word))) return undefined;
  const shown = argv.map((word) => word.replace(urlWithPassword, '$1…'));
  return ['connectorctl', ...shown].join(' ');
}
