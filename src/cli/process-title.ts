/** The URL of a database with a password in it, which may itself hold what ends it in a sound URL. */
const urlWithPassword = /(postgres(?:ql)?:\/\/)(?:.*:.*@|.*\?.*password).*/is;

/** Takes secrets that were given as arguments out of the process list. */
export function hideSecretArguments(argv: readonly string[]): void {
  const title = titleFor(argv);
  if (title !== undefined) process.title = title;
}

/**
 * What the process list is to show in place of arguments that hold a secret: `--token VALUE`, or the URL
 * of a database. Undefined for others: they stay, so that an operator can tell one `serve` from another.
 */
export function titleFor(argv: readonly string[]): string | undefined {
  if (argv.some((word) => word.startsWith('--token') && !word.startsWith('--token-'))) {
    return 'connectorctl';
  }
  if (!argv.some((word) => urlWithPassword.test(word))) return undefined;
  const shown = argv.map((word) => word.replace(urlWithPassword, '$1…'));
  return ['connectorctl', ...shown].join(' ');
}
