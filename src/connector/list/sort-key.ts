/**
 * Puts a space before each descending sort key: the framework's parser takes `--sort -name` for the flag `-n`.
 *
 * @param argv the unparsed words of a command line
 */
export function withProtectedSortKey(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    if (end !== -1 && index > end) return word;
    // One letter alone is a flag.
    if (argv[index - 1] === '--sort' && /^-[a-z_]\w/i.test(word)) return ` ${word}`;
    return word.replace(/^--sort=(?=-)/, '--sort= ');
  });
}
