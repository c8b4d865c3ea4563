/** A database URL that may hold a password, and all that follows: a password may look like the end of the URL. */
const urlWithPassword = /(postgres(?:ql)?:\/\/)(?:.*:.*@|.*\?.*password).*/is;

/** A cheap test that nearly every start ends with: compiling the expression takes about half a millisecond. */
const mayBeDatabase = (word: string) => word.includes('://');

/** Hides secret arguments from the process list. */
export function hideSecretArguments(argv: readonly string[]): void {
  const title = titleFor(argv);
  if (title !== undefined) process.title = title;
}

/**
 * The process title, in which a database URL with a password is cut off. Undefined without such a URL: the command line
 * then stays, so that an operator can distinguish one `serve` from another.
 */
export function titleFor(argv: readonly string[]): string | undefined {
  if (!argv.some((word) => mayBeDatabase(word) && urlWithPassword.test(word))) return undefined;
  const shown = argv.map((word) => word.replace(urlWithPassword, '$1…'));
  return ['connectorctl', ...shown].join(' ');
}
