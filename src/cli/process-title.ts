/**
 * Takes a secret that was given as `--token VALUE` out of the process list. Only then: other command
 * lines stay as they are, so that an operator can tell one `serve` from another.
 */
export function hideSecretArguments(argv: readonly string[]): void {
  if (argv.some((word) => word.startsWith('--token') && !word.startsWith('--token-'))) {
    process.title = 'connectorctl';
  }
}
