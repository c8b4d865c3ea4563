import type {Command} from '@oclif/core';

/** A command as in the manifest. */
export type KnownCommand = Pick<
  Command.Loadable,
  'id' | 'args' | 'flags' | 'hidden' | 'summary' | 'description'
>;

/** A flag as in the manifest. */
export type KnownFlag = KnownCommand['flags'][string];

/** An argument as in the manifest. */
export type KnownArgument = KnownCommand['args'][string];

/** The commands that run another one after `--`. */
const wrappers: ReadonlySet<string> = new Set(['connector:run']);

/** The role of the word at the cursor. */
export type Place =
  /** The next word of a command's name; `path` precedes it: '' or `connector:`. */
  | {readonly kind: 'name'; readonly path: string}
  | {readonly kind: 'flag'}
  /** The value of a flag; `before` precedes it in the same word: '' or `--profile=`. */
  | {readonly kind: 'value'; readonly flag: KnownFlag; readonly before: string}
  | {readonly kind: 'argument'; readonly index: number}
  /** A word of the command that the command line runs after `--`. */
  | {readonly kind: 'wrapped'}
  | {readonly kind: 'none'};

/** An unfinished command line. */
export interface Line {
  readonly command: KnownCommand | undefined;
  /** The flags before the cursor by name; the value of a boolean flag is empty. */
  readonly given: ReadonlyMap<string, string>;
  readonly place: Place;
}

/**
 * Reads the words of an unfinished command line, without the program's name. The last one is at the
 * cursor, and may be empty.
 */
export function readLine(words: readonly string[], commands: readonly KnownCommand[]): Line {
  if (words.length > 1 && words[0] === 'help') {
    const line = readLine(words.slice(1), commands);
    return line.place.kind === 'name' ? line : {...line, place: {kind: 'none'}};
  }
  const earlier = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const found = commandOf(earlier, commands);
  if (found === undefined) {
    return {command: undefined, given: new Map(), place: namePlace(earlier, current, commands)};
  }
  const {command, length} = found;
  const walked = walk(command, earlier.slice(length));
  return {command, given: walked.given, place: placeOf(command, current, walked)};
}

function commandOf(words: readonly string[], commands: readonly KnownCommand[]) {
  const lengths = words.map((_, index) => words.length - index);
  const found = lengths.map((length) => {
    const id = words.slice(0, length).join(':');
    const command = commands.find((known) => known.id === id);
    return command && {command, length};
  });
  return found.find((one) => one !== undefined);
}

function namePlace(
  earlier: readonly string[],
  current: string,
  commands: readonly KnownCommand[],
): Place {
  const path = earlier.map((word) => `${word}:`).join('');
  if (!commands.some(({id}) => id.startsWith(path))) return {kind: 'none'};
  return current.startsWith('-') ? {kind: 'flag'} : {kind: 'name', path};
}

/** The result of reading the words before the cursor. */
interface Walked {
  readonly given: ReadonlyMap<string, string>;
  readonly argumentCount: number;
  /** A flag whose value comes next. */
  readonly pending: KnownFlag | undefined;
  /** Whether `--` has ended the flags. */
  readonly isOver: boolean;
}

function walk(command: KnownCommand, words: readonly string[]): Walked {
  const given = new Map<string, string>();
  let argumentCount = 0;
  let pending: KnownFlag | undefined;
  let isOver = false;
  for (const word of words) {
    if (pending !== undefined) {
      given.set(pending.name, word);
      pending = undefined;
    } else if (isOver || !/^-./.test(word)) {
      argumentCount += 1;
    } else if (word === '--') {
      isOver = true;
    } else {
      const {flag, value} = readFlag(command, word);
      if (flag?.type === 'option' && value === undefined) pending = flag;
      else if (flag !== undefined) given.set(flag.name, value ?? '');
    }
  }
  return {given, argumentCount, pending, isOver};
}

function placeOf(
  command: KnownCommand,
  current: string,
  {pending, isOver, argumentCount}: Walked,
): Place {
  if (pending !== undefined) return {kind: 'value', flag: pending, before: ''};
  if (isOver && wrappers.has(command.id)) return {kind: 'wrapped'};
  if (isOver || !current.startsWith('-')) return {kind: 'argument', index: argumentCount};
  const {flag, value} = readFlag(command, current);
  if (value === undefined) return {kind: 'flag'};
  if (flag?.type !== 'option') return {kind: 'none'};
  return {kind: 'value', flag, before: current.slice(0, current.length - value.length)};
}

/** The flag that a word names, and the value after `=`. */
function readFlag({flags}: KnownCommand, word: string) {
  const [, name, value] = /^-{1,2}([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const isLong = word.startsWith('--');
  const flag = Object.values(flags).find((known) =>
    isLong
      ? known.name === name || known.aliases?.includes(name ?? '')
      : known.char !== undefined && known.char === name,
  );
  return {flag, value};
}
