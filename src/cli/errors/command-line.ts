import {stripVTControlCharacters} from 'node:util';
import type {Interfaces} from '@oclif/core';
import {redactSecrets} from '../../domain/secret.js';
import {suggestion} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import type {otherFlag} from './other-words.js';

/** The parts of a command that an error mentions. */
export interface CommandLine {
  /** For instance `connectorctl connector list`. */
  readonly command: string;
  readonly argv: readonly string[];
  /** The names of its arguments. */
  readonly args: readonly string[];
  /** Its flags by name, each with the environment variable that can replace it, and its allowed values, if fixed. */
  readonly flags: Readonly<
    Record<
      string,
      {
        readonly char?: string | undefined;
        readonly env?: string | undefined;
        readonly options?: readonly string[] | undefined;
      }
    >
  >;
}

/** The words before `--`. */
export function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** Matches `--output` or `-o`: alone, joined with its value, or after letters of boolean flags (`-qo json`). */
const outputFlag = /^(?:--output(?=$|=)|-[fqwy]*o)=?(.*)$/s;

/** The values of `--json` and `--output` in a command line that its parser has refused or not read yet. */
export function outputWord({argv, flags}: CommandLine, env: NodeJS.ProcessEnv) {
  const words = ownWords(argv);
  const at = words.findLastIndex((word) => outputFlag.test(word));
  const [, joined] = outputFlag.exec(words[at] ?? '') ?? [];
  const {env: variable = '', options = []} = flags['output'] ?? {};
  const output = (at === -1 ? env[variable] : joined || words[at + 1]) ?? '';
  return {json: words.includes('--json'), ...(options.includes(output) && {output})};
}

/** An error of the framework's parser; its exit code is 2 when the command line is wrong. */
export interface FrameworkError extends Error {
  readonly oclif?: {readonly exit?: number};
  /** The unknown flags, as typed. */
  readonly flags?: readonly string[];
  /** The unexpected arguments as typed, or the definitions of the missing ones. */
  readonly args?: readonly (string | {readonly name: string; readonly description?: string})[];
}

/** Rewords an error about a command line. Its hint is a correction, or the help of the command. */
export function usageError(
  thrown: FrameworkError,
  line: CommandLine,
  other: typeof otherFlag,
): AppError {
  const {command, args, flags} = line;
  const help = `See: ${command} --help`;
  const usage = (message: string, hint = help) => new AppError('usage', message, {hint});
  const [arg] = thrown.args ?? [];
  const [flag] = thrown.flags ?? [];
  if (flag !== undefined) {
    // A secret may follow the equals sign.
    const typed = abbreviated(flag.replace(/=.*/s, ''));
    const names = Object.keys(flags).map((name) => `--${name}`);
    const near = suggestion(typed, names);
    return usage(
      `No such flag: ${typed}`,
      other(typed, command, flags) ?? (near && `Did you mean ${near}? ${help}`),
    );
  }
  if (typeof arg === 'string')
    return usage(`Unexpected argument: ${abbreviated(arg) || '""'}`, other('ARG', command, flags));
  if (arg === undefined) return usage(plainMessage(thrown.message, line));
  const name = arg.name.toUpperCase();
  const description = arg.description?.replace(/;.*/s, '');
  return usage(
    `Missing argument: ${name}, ${description}.`,
    `Write: ${command} ${args.join(' ').toUpperCase()}`,
  );
}

/** Refuses an empty value, which an unset shell variable leaves. @throws AppError `usage` */
export function refuseEmpty(
  {args, flags}: Pick<Interfaces.ParserOutput, 'args' | 'flags'>,
  line: CommandLine,
): void {
  const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const words = Object.entries(args).map(([name, value]) => [name.toUpperCase(), value]);
  words.push(...Object.entries(flags).map(([name, value]) => [`--${name}`, value]));
  const [word] = words.find(([, value]) => [value].flat().some(isEmpty)) ?? [];
  if (word === undefined) return;
  throw new AppError('usage', namingVariables(`${word} is empty.`, line), {
    hint: 'Set a value; an unset shell variable is empty.',
  });
}

/** Longest word, in UTF-16 code units, that an error repeats whole; a longer one may be a secret of another service. */
const longestWord = 24;

/** A word of the command line, shortened and redacted for an error message. */
export function abbreviated(word: string): string {
  const safe = redactSecrets(word);
  return safe.length > longestWord ? `${safe.slice(0, longestWord / 2)}…` : safe;
}

/** Removes the words that the framework's parser adds to an error in the value of a flag. */
export function withoutFrameworkWords(error: AppError, line: CommandLine): AppError {
  const inner = /^Parsing --[\w-]+ \n\t(.*)\nSee more help with --help$/s.exec(error.message)?.[1];
  return inner === undefined ? error : error.with({message: namingVariables(inner, line)});
}

/** Names the flag in place of the field of a request that the service refuses: `--ttl` for `/ttl_seconds`. */
export function namingFlags(error: AppError, {flags}: CommandLine): AppError {
  if (error.status !== 400) return error;
  const message = error.message.replace(/(?<=[ (])\/(\w+)(?=: )/g, (field, name: string) => {
    const flag = name.replace(/_seconds$/, '');
    return flag in flags ? `--${flag}` : field;
  });
  return error.with({message});
}

function plainMessage(message: string, line: CommandLine): string {
  const text = stripVTControlCharacters(message)
    .replace(/\n?See more help with --help\s*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^(Missing required flag) (?=\w)/, '$1 --')
    // The value of a conflicting flag may be a secret.
    .replace(/(--[\w-]+)=.*( cannot also be provided when using)/gs, '$1$2');
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
