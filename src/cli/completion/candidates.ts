import type {Interfaces} from '@oclif/core';
import {connectorStatuses} from '../../contract/limits.js';
import {escapeControl} from '../../render/escape.js';
import {
  type KnownArgument,
  type KnownCommand,
  type KnownFlag,
  type Line,
  readLine,
} from './command-line.js';

/** A whole word that can complete the one at the cursor, and its description. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Words, or `files` to let the shell complete file names. */
type Candidates = 'files' | readonly Candidate[];

/** The commands of the manifest. */
export interface Vocabulary {
  readonly commands: readonly KnownCommand[];
  readonly topics: readonly Interfaces.Topic[];
  /** The program's name, for a placeholder in descriptions. */
  readonly bin: string;
}

/** Sources of words that are not in the manifest, called only when needed. */
export interface Sources {
  profiles(): Promise<readonly Candidate[]>;
  connectors(given: Line['given']): Promise<readonly Candidate[]>;
}

/** Flags of the framework. */
const helpFlag = {value: '--help', description: 'show help'};
const versionFlag = {value: '--version', description: 'show the version'};

/** The source of candidates for arguments without options. */
export const argumentSources: Readonly<Record<string, 'connectors' | 'files' | 'profiles'>> = {
  'connector:enroll list': 'files',
  'connector:get id': 'connectors',
  'connector:heartbeat id': 'connectors',
  'connector:run id': 'connectors',
  'profile:remove name': 'profiles',
  'profile:set name': 'profiles',
  'profile:use name': 'profiles',
  'store:check store': 'files',
  'store:copy from': 'files',
  'store:copy to': 'files',
};

/**
 * All candidates at the cursor, unfiltered: prefix matching is left to the shell, which may use the
 * user's own rules.
 *
 * @param words without the program's name; the last one is at the cursor
 */
export async function complete(
  words: readonly string[],
  {commands, ...others}: Vocabulary,
  sources: Sources,
): Promise<Candidates> {
  const shown = {...others, commands: commands.filter(({hidden}) => !hidden)};
  const line = readLine(words, shown.commands);
  const {command, place, given} = line;
  if (place.kind === 'name') return names(place.path, shown);
  if (place.kind === 'flag') return flags(line, words.length === 1);
  if (place.kind === 'value') {
    const values = await flagValues(place.flag, sources);
    if (values === 'files') return values;
    const current = words.at(-1) ?? '';
    const earlier = listBefore(place.flag, current.slice(place.before.length));
    const listed = earlier.split(',');
    return values
      .filter(({value}) => !listed.includes(value))
      .map((one) => ({...one, value: `${place.before}${earlier}${one.value}`}));
  }
  if (place.kind === 'wrapped') return 'files';
  if (place.kind === 'none' || command === undefined) return [];
  const argument = argumentAt(command, place.index);
  // With all arguments given, only flags can follow.
  if (argument === undefined) return flags(line, false);
  if (argument.options !== undefined) return plain(argument.options);
  const source = argumentSources[`${command.id} ${argument.name}`];
  if (source === 'connectors') return sources.connectors(given);
  if (source === 'profiles') return sources.profiles();
  return source ?? [];
}

function argumentAt({args}: KnownCommand, index: number): KnownArgument | undefined {
  const all = Object.values(args);
  const last = all.at(-1);
  return all[index] ?? (last?.multiple ? last : undefined);
}

/** The values that precede the one at the cursor in a list with commas: `offline,` or ''. */
function listBefore(flag: KnownFlag, value: string): string {
  return isList(flag) ? value.slice(0, value.lastIndexOf(',') + 1) : '';
}

/** Whether a flag takes several values with commas between them. */
function isList(flag: KnownFlag): boolean {
  return flag.type === 'option' && flag.delimiter === ',';
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

function flags({command, given}: Line, isAlone: boolean): readonly Candidate[] {
  const known = Object.values(command?.flags ?? {})
    .filter((flag) => !flag.hidden && (isRepeatable(flag) || !given.has(flag.name)))
    .map(({name, summary, description}) => ({
      value: `--${name}`,
      description: describe(summary ?? description),
    }));
  return [...known, helpFlag, ...(isAlone ? [versionFlag] : [])];
}

function isRepeatable(flag: KnownFlag): boolean {
  return flag.type === 'option' && flag.multiple === true;
}

async function flagValues(flag: KnownFlag, sources: Sources): Promise<Candidates> {
  if (flag.type !== 'option') return [];
  if (flag.options !== undefined) return plain(flag.options);
  if (flag.helpValue?.toString().startsWith('PATH')) return 'files';
  if (flag.helpValue === 'STATUS') return plain(connectorStatuses);
  if (flag.helpValue === 'FIELD') {
    const {connectorFields, sortKeys} = await import('../../domain/selection.js');
    return plain(isList(flag) ? connectorFields : sortKeys);
  }
  return flag.name === 'profile' ? sources.profiles() : [];
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({value, description: ''}));
}

/** A word that needs no quotes in any shell. */
const plainWord = /^\w[\w.@%+=:,/-]*$/;

/** A candidate from outside, such as a service; undefined when the word needs quotes in a shell. */
export function foreignCandidate(value: string, description = ''): Candidate | undefined {
  return plainWord.test(value) ? {value, description: describe(description)} : undefined;
}

/** Longest description, in code points. */
const longestDescription = 80;

function describe(text = ''): string {
  const shown = [...escapeControl(text.trim())];
  return shown.length <= longestDescription
    ? shown.join('')
    : `${shown.slice(0, longestDescription - 1).join('')}…`;
}

/** The text that the shell scripts read: one `WORD<TAB>DESCRIPTION` per line, or `:files`. */
export function candidatesText(candidates: Candidates): string {
  if (candidates === 'files') return ':files\n';
  return candidates.map(({value, description}) => `${value}\t${description}\n`).join('');
}
