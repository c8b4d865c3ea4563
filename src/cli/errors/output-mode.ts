/** The format of stdout: JSON, the output of a monitoring plugin, or text for people. */
type OutputMode = 'json' | 'plugin' | 'text';

/** The output of this process; `main` sets it before anything runs. */
const output: {mode: OutputMode; hasBegun: boolean; exitCode: number | undefined} = {
  mode: 'text',
  hasBegun: false,
  exitCode: undefined,
};

/** Begins the output of a command line. */
export function beginOutput(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  Object.assign(output, {mode: readOutputMode(argv, env), hasBegun: false, exitCode: undefined});
}

/** Notes that stdout has a part of the result: an error object after it would make invalid JSON. */
export function noteOutput(): void {
  output.hasBegun = true;
}

export const outputMode = (): OutputMode => output.mode;

/** Whether an error is an object on stdout. */
export const isErrorJson = (): boolean => output.mode === 'json' && !output.hasBegun;

/** The exit code of an error, where a command has chosen another one. */
export const exitCodeOf = (usual: number): number => output.exitCode ?? usual;

/** Reports an error of this command as a text, with this exit code: stdout belongs to another program. */
export function failOutsideOf(exitCode: number): void {
  Object.assign(output, {mode: 'text', exitCode});
}

/** The commands with `--output` that read its variable. */
export const commandsWithFormat = /^connector[ :](list|ls|get)( |$)/;

/**
 * The output format of a command line: `--json`, or `-o` in any of its spellings, before `--`. Reads the unparsed words,
 * because the message of a parsing error uses that format too.
 */
export function readOutputMode(argv: readonly string[], env: NodeJS.ProcessEnv): OutputMode {
  const line = argv.join(' ');
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words.includes('--json')) return 'json';
  const usual = commandsWithFormat.test(line) ? env['CONNECTORCTL_OUTPUT'] : undefined;
  const format = outputFormat(words) ?? usual;
  if (format === 'nagios' && /^connector[ :]check( |$)/.test(line)) return 'plugin';
  return format === 'json' ? 'json' : 'text';
}

/** The flag, perhaps in one word with its value, or behind the letters of flags without one (`-qo json`). */
const combined = /^(--output(?=$|=)|-[fqw]*o)=?(.*)$/s;

/** The format that a command line asks for with `-o` in any of its spellings; undefined for none. */
function outputFormat(words: readonly string[]): string | undefined {
  const formats = words.flatMap((word, index) => {
    const [, flag, value] = combined.exec(word) ?? [];
    return flag === undefined ? [] : [value || words[index + 1]];
  });
  return formats.at(-1);
}
