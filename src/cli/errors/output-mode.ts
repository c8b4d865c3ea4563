/** How an error is reported: as JSON on stdout, as text because stdout has a part of the JSON, or as text. */
export type ErrorMode = 'json' | 'json-started' | 'text';

let ofCommand: (() => ErrorMode) | undefined;

/** Lets the running command decide how errors are reported. */
export function setErrorMode(mode: () => ErrorMode): void {
  ofCommand = mode;
}

/** How an error is reported at this moment. */
export function errorMode(argv: readonly string[]): ErrorMode {
  return ofCommand?.() ?? (jsonRequested(argv) ? 'json' : 'text');
}

/**
 * Whether a command line asks for JSON: `--json`, or `-o json` in any of its spellings, before
 * `--`. It reads the unparsed words, because a parsing error must be JSON too.
 *
 * @param fallback the format in the environment, for a command that has formats
 */
export function jsonRequested(argv: readonly string[], fallback?: string): boolean {
  return ownWords(argv).includes('--json') || (outputFormat(argv) ?? fallback) === 'json';
}

/** The flag, perhaps in one word with its value, or behind the letters of flags without one (`-qo json`). */
const combined = /^(--output(?=$|=)|-[fqw]*o)=?(.*)$/s;

/** The format that a command line asks for with `-o` in any of its spellings; undefined for none. */
function outputFormat(argv: readonly string[]): string | undefined {
  const words = ownWords(argv);
  const formats = words.flatMap((word, index) => {
    const [, flag, value] = combined.exec(word) ?? [];
    if (flag === undefined) return [];
    return [value || words[index + 1]];
  });
  return formats.at(-1);
}

/** Whether a command line asks for the output of a monitoring plugin: `connector check -o nagios`. */
export function pluginRequested(argv: readonly string[]): boolean {
  if (!/^connector[ :]check( |$)/.test(argv.join(' '))) return false;
  return outputFormat(argv) === 'nagios' && !ownWords(argv).includes('--json');
}

/** The values of a flag in a command line that may not be valid: `--flag=VALUE`, or words up to the next flag. */
export function flagValues(argv: readonly string[], flag: string): readonly string[] {
  const words = ownWords(argv);
  return words.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    if (word !== flag) return [];
    const rest = words.slice(index + 1);
    const end = rest.findIndex((next) => next.startsWith('-') && next !== '-');
    return end === -1 ? rest : rest.slice(0, end);
  });
}

/** The words before `--`. */
function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
