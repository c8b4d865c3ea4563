import type {Command, Interfaces} from '@oclif/core';
import {connectorStatuses} from '../../contract/limits.js';
import {escapeControl} from '../../terminal/escape.js';

/** A command as in the manifest. */
export type KnownCommand = Pick<
  Command.Loadable,
  'id' | 'args' | 'flags' | 'hidden' | 'summary' | 'description'
>;

type KnownFlag = KnownCommand['flags'][string];

/** The flags on a line by name; the value of a boolean flag is empty. */
export type GivenFlags = ReadonlyMap<string, string>;

/** A whole word that can complete the one at the cursor, and its description. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Words, or `files` to let the shell complete file names. */
type Candidates = 'files' | readonly Candidate[];

/** The commands of the manifest, and the program's name for a placeholder in descriptions. */
export interface Vocabulary extends Pick<Interfaces.Config, 'bin' | 'topics'> {
  readonly commands: readonly KnownCommand[];
}

/** Sources of words that are not in the manifest, called only when needed. */
interface Sources {
  profiles(): Promise<readonly Candidate[]>;
  connectors(given: GivenFlags): Promise<readonly Candidate[]>;
}

/** Flags of the framework. */
const helpFlag = {value: '--help', description: 'show help'};
const versionFlag = {value: '--version', description: 'show the version'};

/** The command that runs another one after `--`. */
const wrapper = 'connector:run';

/** Sources of candidates for arguments that have no fixed options, by topic and argument. */
export const argumentSources: Readonly<Record<string, 'connectors' | 'files' | 'profiles'>> = {
  'connector id': 'connectors',
  'connector list': 'files',
  'profile name': 'profiles',
  'store from': 'files',
  'store store': 'files',
  'store to': 'files',
};

/**
 * All candidates at the cursor, unfiltered: prefix matching is left to the shell, which may use the
 * user's own rules.
 *
 * @param words without the program's name; the last one is at the cursor
 */
export async function complete(
  words: readonly string[],
  {bin, commands, topics}: Vocabulary,
  sources: Sources,
): Promise<Candidates> {
  const shown = commands.filter(({hidden}) => !hidden);
  const isHelp = words.length > 1 && words[0] === 'help';
  const earlier = words.slice(isHelp ? 1 : 0, -1);
  const current = words.at(-1) ?? '';
  const path = earlier.map((word) => `${word}:`).join('');
  const command = shown.find(({id}) => path.startsWith(`${id}:`));
  if (command === undefined) {
    if (!current.startsWith('-')) return names(path, {bin, topics, commands: shown});
    return words.length === 1 ? [helpFlag, versionFlag] : [];
  }
  if (isHelp) return [];
  const line = walk(command, earlier.slice(command.id.split(':').length));
  if (line.pending !== undefined) return valuesAt(line.pending, '', current, sources);
  if (line.isOver && command.id === wrapper) return 'files';
  if (line.isOver || !current.startsWith('-')) return argumentsAt(command, line, sources);
  const {flag, value} = readFlag(command, current);
  if (value === undefined) return flagsOf(command, line);
  const before = current.slice(0, current.length - value.length);
  return flag === undefined ? [] : valuesAt(flag, before, value, sources);
}

/** The words before the cursor. */
interface Line {
  readonly given: GivenFlags;
  readonly argumentCount: number;
  /** A flag whose value comes next. */
  readonly pending: KnownFlag | undefined;
  /** Whether `--` has ended the flags. */
  readonly isOver: boolean;
}

function walk(command: KnownCommand, words: readonly string[]): Line {
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

/** The flag that a word names, and the value after `=`. */
function readFlag({flags}: KnownCommand, word: string) {
  const [, dashes, name = '', value] = /^(--?)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = Object.values(flags).find((known) =>
    dashes === '--' ? [known.name, ...(known.aliases ?? [])].includes(name) : known.char === name,
  );
  return {flag, value};
}

function argumentsAt(
  command: KnownCommand,
  line: Line,
  sources: Sources,
): Promise<Candidates> | Candidates {
  const all = Object.values(command.args);
  const last = all.at(-1);
  const argument = all[line.argumentCount] ?? (last?.multiple ? last : undefined);
  // With all arguments given, only flags can follow.
  if (argument === undefined) return flagsOf(command, line);
  if (argument.options !== undefined) return plain(argument.options);
  const source = argumentSources[`${command.id.split(':', 1)} ${argument.name}`];
  if (source === 'connectors') return sources.connectors(line.given);
  if (source === 'profiles') return sources.profiles();
  return source ?? [];
}

/** The values of a flag. @param before the part of the word before the value: `--status=` or '' */
async function valuesAt(
  flag: KnownFlag,
  before: string,
  current: string,
  sources: Sources,
): Promise<Candidates> {
  if (flag.type !== 'option') return [];
  if (flag.helpValue?.toString().startsWith('PATH')) return 'files';
  const isList = flag.delimiter === ',';
  // The values that precede the one at the cursor in a list: `offline,` or ''.
  const earlier = isList ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  const values =
    flag.name === 'profile' ? await sources.profiles() : plain(await words(flag, isList));
  return values.map((one) => ({...one, value: `${before}${earlier}${one.value}`}));
}

/** The known words that a flag accepts. */
async function words(
  {options, helpValue}: Pick<Command.Flag.Cached & {type: 'option'}, 'helpValue' | 'options'>,
  isList: boolean,
): Promise<readonly string[]> {
  if (options !== undefined) return options;
  if (helpValue === 'STATUS') return connectorStatuses;
  if (helpValue !== 'FIELD') return [];
  const {connectorFields} = await import('../../client/read/connector.js');
  return isList ? connectorFields : connectorFields.flatMap((name) => [name, `-${name}`]);
}

/** The next words of command names after a path. */
function names(path: string, {bin, commands, topics}: Vocabulary): readonly Candidate[] {
  const ids = commands.map(({id}) => id).filter((id) => id.startsWith(path));
  const next = [...new Set(ids.map((id) => id.slice(path.length).split(':')[0] ?? ''))].sort();
  return next.map((value) => {
    const id = `${path}${value}`;
    const command = commands.find((known) => known.id === id);
    const topic = topics.find(({name}) => name === id);
    const text = command?.summary ?? command?.description ?? topic?.description;
    return {value, description: describe(text?.replaceAll('<%= config.bin %>', bin))};
  });
}

/** The flags that are not on the line yet, or may be repeated. */
function flagsOf({flags}: KnownCommand, {given}: Line): readonly Candidate[] {
  const left = Object.values(flags).filter(
    (flag) => (flag.type === 'option' && flag.multiple) || !given.has(flag.name),
  );
  const known = left.map(({name, description}) => ({
    value: `--${name}`,
    description: describe(description),
  }));
  return [...known, helpFlag];
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({value, description: ''}));
}

/** A word that needs no quotes in any shell. */
const plainWord = /^\w[\w.@%+=:,/-]*$/;

/** A candidate from outside, such as a service; none when the word needs quotes in a shell. */
export function foreignCandidate(value: string, description = ''): readonly Candidate[] {
  return plainWord.test(value) ? [{value, description: describe(description)}] : [];
}

/** Longest description, in code points. */
const longestDescription = 80;

function describe(text = ''): string {
  return [...escapeControl(text.trim())].slice(0, longestDescription).join('');
}

/** The text that the shell scripts read: one `WORD<TAB>DESCRIPTION` per line, or `:files`. */
export function candidatesText(candidates: Candidates): string {
  if (candidates === 'files') return ':files\n';
  return candidates.map(({value, description}) => `${value}\t${description}\n`).join('');
}
