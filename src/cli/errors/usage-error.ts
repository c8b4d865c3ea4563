import {stripVTControlCharacters} from 'node:util';
import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {habitualFlag, habitualForm, habitualFormat} from './habits.js';
import {suggestion} from './suggestion.js';

/** The parts of a command that an error mentions. */
export interface CommandLine {
  /** For instance `connectorctl connector list`. */
  readonly command: string;
  readonly argv: readonly string[];
  /** Its flags by name, each with the environment variable that can replace it. */
  readonly flags: Readonly<
    Record<string, {readonly char?: string | undefined; readonly env?: string | undefined}>
  >;
}

/** An error of the framework's parser; its exit code is 2 when the command line is wrong. */
export interface FrameworkError extends Error {
  readonly oclif?: {readonly exit?: number};
  /** The unknown flags, as typed. */
  readonly flags?: readonly string[];
  /** The unexpected arguments as typed, or the definitions of the missing ones. */
  readonly args?: readonly (string | ArgumentDefinition)[];
}

interface ArgumentDefinition {
  readonly name: string;
  readonly description?: string;
}

/** Rewords an error about a command line, and points to the help of the command. */
export function usageError(thrown: FrameworkError, line: CommandLine): AppError {
  const hint = `See: ${line.command} --help`;
  const [flag] = thrown.flags ?? [];
  if (flag !== undefined) return unknownFlag(flag, line, hint);
  const [arg] = thrown.args ?? [];
  if (typeof arg === 'string') return unexpectedArgument(arg, line, hint);
  const message = plainMessage(thrown.message, line);
  if (arg !== undefined || message.startsWith('Missing required flag')) {
    // A flag of another command may be the reason for what is missing.
    const stray = strayFlag(line);
    if (stray !== undefined) return unknownFlag(stray, line, hint);
  }
  if (arg !== undefined) return missingArgument(arg, line);
  const habit =
    habitualFormat(message) ??
    (message.startsWith('Missing required flag')
      ? habitualForm(line.command, line.argv[0])
      : undefined);
  return new AppError('usage', message, {hint: habit === undefined ? hint : `${habit} ${hint}`});
}

function strayFlag({flags, argv}: CommandLine): string | undefined {
  const has = (name: string) => name in flags;
  const words = argv.map((word) => word.replace(/=.*/s, ''));
  return words.find((word) => !has(word.slice(2)) && habitualFlag(word, has) !== undefined);
}

function unexpectedArgument(
  typed: string,
  {command, flags, argv}: CommandLine,
  help: string,
): AppError {
  const isFieldList = 'columns' in flags && argv[argv.indexOf(typed) - 1] === '--json';
  const habit = isFieldList
    ? '--json takes no fields: use --columns, or jq after a pipe.'
    : habitualForm(command, typed);
  return new AppError('usage', `Unexpected argument: ${abbreviated(typed)}`, {
    hint: habit === undefined ? help : `${habit} ${help}`,
  });
}

function missingArgument(
  {name, description}: ArgumentDefinition,
  {command}: CommandLine,
): AppError {
  const shown = name.toUpperCase();
  const message = `Missing argument: ${shown}, ${description?.replace(/;.*/s, '')}.`;
  return new AppError('usage', message, {hint: `Write: ${command} ${shown}`});
}

function unknownFlag(word: string, {flags}: CommandLine, help: string): AppError {
  // A secret may follow the equals sign.
  const typed = abbreviated(word.replace(/=.*/s, ''));
  const names = Object.keys(flags).map((name) => `--${name}`);
  const habit = habitualFlag(typed, (name) => name in flags);
  if (habit !== undefined) {
    return new AppError('usage', `No such flag: ${typed}`, {hint: `${habit} ${help}`});
  }
  const near = suggestion(typed, names);
  return new AppError('usage', `No such flag: ${typed}`, {
    hint: near === undefined ? help : `Did you mean ${near}? ${help}`,
  });
}

/** Longest word that an error repeats whole; a longer one may be a secret of another service. */
const longestWord = 24;

/** A word of the command line, shortened and redacted for an error. */
export function abbreviated(word: string): string {
  const safe = redactSecrets(word);
  return safe.length > longestWord ? `${safe.slice(0, longestWord / 2)}…` : safe;
}

/** Removes the words that the framework's parser adds to an error in the value of a flag. */
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
    .replace(/^(Missing required flag) (?=\w)/, '$1 --')
    // The value of a conflicting flag may be a secret.
    .replace(/(--[\w-]+)=.*( cannot also be provided when using)/gs, '$1$2')
    .trim();
  return namingVariables(redactSecrets(text), line);
}

/** Names the environment variable instead of a flag when the value comes from the environment. */
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
