import {stripVTControlCharacters} from 'node:util';
import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {suggestion} from './suggestion.js';

/** A command line, as far as the errors in it need to know its command. */
export interface CommandLine {
  /** What to type for the command, for instance `connectorctl connector list`. */
  readonly command: string;
  readonly argv: readonly string[];
  /** Its flags by name, each with the environment variable that can stand in for it. */
  readonly flags: Readonly<
    Record<string, {readonly char?: string | undefined; readonly env?: string | undefined}>
  >;
}

/** An error of the framework's parser; the exit code is two when the command line is wrong. */
export interface FrameworkError extends Error {
  readonly oclif?: {readonly exit?: number};
  /** Of unknown flags: what was typed. */
  readonly flags?: readonly string[];
  /** Of arguments too many: what was typed; of missing ones: their definitions. */
  readonly args?: readonly (string | {readonly name: string; readonly description?: string})[];
}

/** What is wrong with a command line, in our words, and where its command is explained. */
export function usageError(thrown: FrameworkError, line: CommandLine): AppError {
  const hint = `See: ${line.command} --help`;
  const [flag] = thrown.flags ?? [];
  if (flag !== undefined) return unknownFlag(flag, line, hint);
  const [arg] = thrown.args ?? [];
  if (typeof arg === 'string') {
    return new AppError('usage', `Unexpected argument: ${abbreviated(arg)}`, {hint});
  }
  if (arg === undefined) return new AppError('usage', plainMessage(thrown.message, line), {hint});
  const name = arg.name.toUpperCase();
  return new AppError('usage', `Missing argument: ${name}, ${arg.description}.`, {
    hint: `Write: ${line.command} ${name}`,
  });
}

function unknownFlag(word: string, {flags}: CommandLine, help: string): AppError {
  // Behind an equals sign may be a secret.
  const typed = abbreviated(word.replace(/=.*/s, ''));
  const names = Object.keys(flags).map((name) => `--${name}`);
  const near = suggestion(typed, names);
  return new AppError('usage', `No such flag: ${typed}`, {
    hint: near === undefined ? help : `Did you mean ${near}? ${help}`,
  });
}

/** The longest word from the command line that is repeated whole; anything longer may be a secret of some service. */
const longestWord = 24;

/** A word from the command line as an error may show it. */
export function abbreviated(word: string): string {
  const safe = redactSecrets(word);
  return safe.length > longestWord ? `${safe.slice(0, longestWord / 2)}…` : safe;
}

/**
 * An error in the value of a flag, without the words that the framework's parser writes around it.
 * Any other error is returned as it is.
 */
export function withoutFrameworkWords(error: AppError, line: CommandLine): AppError {
  const inner = /^Parsing --[\w-]+ \n\t(.*)\nSee more help with --help$/s.exec(error.message)?.[1];
  if (inner === undefined) return error;
  const {hint, reason, details} = error;
  return new AppError(error.kind, namingVariables(inner, line), {hint, reason, details});
}

function plainMessage(message: string, line: CommandLine): string {
  const text = stripVTControlCharacters(message)
    .replace(/\n?See more help with --help\s*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    // The value of a flag that contradicts another may be a secret.
    .replace(/(--[\w-]+)=.*( cannot also be provided when using)/gs, '$1$2')
    .trim();
  return namingVariables(redactSecrets(text), line);
}

/** A value from the environment is blamed on its variable, not on a flag that nobody typed. */
function namingVariables(message: string, {flags, argv}: CommandLine): string {
  return message.replace(/--([\w-]+)/g, (flag, name: string) => {
    const {char, env} = flags[name] ?? {};
    if (env === undefined || !process.env[env]) return flag;
    const isFlag = (word: string) =>
      word === flag ||
      word.startsWith(`${flag}=`) ||
      (char !== undefined && word.startsWith(`-${char}`));
    return argv.some(isFlag) ? flag : env;
  });
}
