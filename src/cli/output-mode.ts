import {isTrue, setColor} from '../terminal/capabilities.js';

/** The content of stdout: JSON, the output of a monitoring plugin, text for people, or that of a wrapped command. */
type OutputMode = 'command' | 'json' | 'plugin' | 'text';

/** The flag: alone, joined with its value, or after the letters of boolean flags (`-qo json`). */
const outputFlag = /^(?:--output(?=$|=)|-[fqwy]*o)=?(.*)$/s;

/** How a command line wants its output. */
interface Output {
  /** `json` for `--json` and `-o json`. */
  readonly mode: OutputMode;
  /** Whether an error shows its cause. */
  readonly isDebug: boolean;
}

let current: Output = {mode: 'text', isDebug: false};

/** The output of the command line that this process runs. */
export const currentOutput = () => current;

/** Notes the output of the command line that begins. It is unparsed, because errors of its parser obey it too. */
export function beginOutput(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const words = ownWords(argv);
  setColor(!words.includes('--no-color'));
  const isDebug = words.includes('--debug') || isTrue(env['CONNECTORCTL_DEBUG']);
  current = {mode: outputMode(argv, env), isDebug};
}

/**
 * The output mode of an unparsed command line. It knows flags and commands by name, because no command is loaded yet;
 * tests compare them with the manifest.
 */
export function outputMode(argv: readonly string[], env: NodeJS.ProcessEnv): OutputMode {
  const line = argv.join(' ');
  const words = ownWords(argv);
  if (words.length < argv.length && /^connector[ :]run /.test(line)) return 'command';
  if (words.includes('--json')) return 'json';
  const flag = words.findLastIndex((word) => outputFlag.test(word));
  const given =
    flag === -1 ? undefined : outputFlag.exec(words[flag] ?? '')?.[1] || words[flag + 1];
  const readsVariable = /^connector[ :](list|ls|get)( |$)/.test(line);
  const format = given ?? (readsVariable ? env['CONNECTORCTL_OUTPUT'] : undefined);
  if (format === 'nagios' && /^connector[ :]check( |$)/.test(line)) return 'plugin';
  return format === 'json' ? 'json' : 'text';
}

/** The words before `--`. */
export function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}
