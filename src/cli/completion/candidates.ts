import type {Interfaces} from '@oclif/core';
import {connectorStatuses} from '../../contract/limits.js';
import {escapeControl} from '../../render/escape.js';
import {type KnownCommand, type KnownFlag, type Line, readLine} from './command-line.js';

/** A word that may stand at the cursor, whole, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Words, or that the shell is to complete the names of files. */
export type Candidates = 'files' | readonly Candidate[];

/** What the words are of: the commands of the manifest. */
export interface Vocabulary {
  readonly commands: readonly KnownCommand[];
  readonly topics: readonly Interfaces.Topic[];
  /** The program's name, which descriptions have a place for. */
  readonly bin: string;
}

/** Where words come from that no manifest holds. Each is asked only when its words are wanted. */
export interface Sources {
  profiles(): Promise<readonly Candidate[]>;
  connectors(given: Line['given']): Promise<readonly Candidate[]>;
}

/** Flags that the framework itself takes. */
const helpFlag = {value: '--help', description: 'show help'};
const versionFlag = {value: '--version', description: 'show the version'};

/** What arguments are completed with that do not list their own options. */
export const argumentSources: Readonly<Record<string, 'connectors' | 'files' | 'profiles'>> = {
  'connector:get id': 'connectors',
  'connector:heartbeat id': 'connectors',
  'profile:remove name': 'profiles',
  'profile:set name': 'profiles',
  'profile:use name': 'profiles',
  'store:copy from': 'files',
  'store:copy to': 'files',
};

/**
 * What may stand at the cursor, in no way reduced to what begins as the word there does: that is for
 * the shell, which may do it by rules of its user's own.
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
    return values.map((one) => ({...one, value: `${place.before}${one.value}`}));
  }
  if (place.kind === 'none' || command === undefined) return [];
  const argument = Object.values(command.args)[place.index];
  // Where nothing else can stand, flags are what is left.
  if (argument === undefined) return flags(line, false);
  if (argument.options !== undefined) return plain(argument.options);
  const source = argumentSources[`${command.id} ${argument.name}`];
  if (source === 'connectors') return sources.connectors(given);
  if (source === 'profiles') return sources.profiles();
  return source ?? [];
}

/** The next words of the commands' names behind a path. */
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
    .filter(({hidden, name}) => !hidden && !given.has(name))
    .map(({name, summary, description}) => ({
      value: `--${name}`,
      description: describe(summary ?? description),
    }));
  return [...known, helpFlag, ...(isAlone ? [versionFlag] : [])];
}

async function flagValues(flag: KnownFlag, sources: Sources): Promise<Candidates> {
  if (flag.type !== 'option') return [];
  if (flag.options !== undefined) return plain(flag.options);
  if (flag.helpValue?.toString().startsWith('PATH')) return 'files';
  if (flag.helpValue === 'STATUS') return plain(connectorStatuses);
  return flag.name === 'profile' ? sources.profiles() : [];
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({value, description: ''}));
}

/** What every shell takes as one plain word, wherever it stands: nothing in it needs quotes. */
const plainWord = /^\w[\w.@%+=:,/-]*$/;

/**
 * A word from elsewhere, a service for instance; undefined where a shell could read more in it than
 * the word.
 */
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

/**
 * What the shells' scripts read: a line for each word, with a tab before its description, or
 * `:files` alone.
 */
export function candidatesText(candidates: Candidates): string {
  if (candidates === 'files') return ':files\n';
  return candidates.map(({value, description}) => `${value}\t${description}\n`).join('');
}
