/**
 * Whether the command line asks for JSON: `--json`, or `-o json` in any of its spellings, before
 * `--`. Read from the words themselves, since an error in parsing them must be JSON too.
 */
export function jsonRequested(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      word === '--json' ||
      word === '--output=json' ||
      /^-o=?json$/.test(word) ||
      (word === 'json' && /^(-o|--output)$/.test(words[index - 1] ?? '')),
  );
}
