import {statSync} from 'node:fs';
import type {Command, Interfaces} from '@oclif/core';
import {connectorFields, readingOf} from '../../client/read/connector.js';
import {connectorStatuses, limits} from '../../contract/limits.js';
import {parseDuration, type VariableWithoutFlag} from '../../flags.js';
import {userProfiles} from '../../service/profiles/store.js';
import type {ServiceFlagValues} from '../../service/settings.js';
import {homeDirectory} from '../../system/user-directories.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';

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

/** Candidates from profiles and the service; each function is called only when needed. */
interface Sources {
  profiles(): Promise<readonly Candidate[]>;
  connectors(given: GivenFlags): Promise<readonly Candidate[]>;
}

/** Values that the manifest does not list: of arguments by topic and name, of flags by name or placeholder. */
export const valueSources: Readonly<Record<string, 'files' | keyof Sources | readonly string[]>> = {
  'connector id': 'connectors',
  'connector list': 'files',
  'profile name': 'profiles',
  'store from': 'files',
  'store store': 'files',
  'store to': 'files',
  '--profile': 'profiles',
  FIELD: connectorFields,
  PATH: 'files',
  'PATH|URL': 'files',
  STATUS: connectorStatuses,
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
  const earlier = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const path = earlier.map((word) => `${word}:`).join('');
  const command = shown.find(({id}) => path.startsWith(`${id}:`));
  if (command === undefined) return names(path, {bin, topics, commands: shown});
  const line = walk(command, earlier.slice(command.id.split(':').length));
  const values = async (
    options: readonly string[] | undefined,
    places: readonly string[],
    before = '',
  ): Promise<Candidates> => {
    const found = options ?? places.map((place) => valueSources[place]).find(Boolean) ?? [];
    if (found === 'files') return found;
    const all = typeof found === 'string' ? await sources[found](line.given) : found.map(plain);
    return all.map((one) => ({...one, value: before + one.value}));
  };
  const flagValues = (flag: KnownFlag | undefined, before = '') =>
    flag?.type === 'option'
      ? values(flag.options, [`--${flag.name}`, String(flag.helpValue)], before)
      : [];
  if (line.pending !== undefined) return flagValues(line.pending);
  // The words after `--` belong to a wrapped command.
  if (line.isOver) return 'files';
  const {flag, value} = readFlag(command, current);
  if (value !== undefined) {
    return flagValues(flag, current.slice(0, current.length - value.length));
  }
  const args = Object.values(command.args);
  const argument = args[line.argumentCount] ?? args.findLast(({multiple}) => multiple);
  // With all arguments given, only flags can follow.
  if (argument === undefined || current.startsWith('-')) return flagsOf(command, line);
  return values(argument.options, [`${command.id.split(':', 1)} ${argument.name}`]);
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
  for (const word of words) {
    const {flag, value} = readFlag(command, word);
    if (pending !== undefined) {
      given.set(pending.name, word);
      pending = undefined;
    } else if (word === '--') return {given, argumentCount, pending, isOver: true};
    else if (!word.startsWith('-')) argumentCount += 1;
    else if (flag?.type === 'option' && value === undefined) pending = flag;
    else if (flag !== undefined) given.set(flag.name, value ?? '');
  }
  return {given, argumentCount, pending, isOver: false};
}

/** The flag that a word names, and the value after `=`. */
function readFlag({flags}: KnownCommand, word: string) {
  const [, dashes, name = '', value] = /^(--?)([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = Object.values(flags).find((known) =>
    dashes === '--' ? known.name === name : known.char === name,
  );
  return {flag, value};
}

/** The candidates for the next word of a command name, after the words of `path`. */
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
  return [...left, {name: 'help', description: 'show help'}].map(({name, description}) => ({
    value: `--${name}`,
    description: describe(description),
  }));
}

const plain = (value: string): Candidate => ({value, description: ''});

/** A word that needs no quotes in bash, zsh or fish. */
const plainWord = /^\w[\w.@%+=:,/-]*$/;

/** A candidate from outside the program, such as a connector's id; none unless it is a `plainWord`. */
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

/** The variable for the time limit of the service during completion. */
const timeoutVariable: VariableWithoutFlag = 'CONNECTORCTL_COMPLETION_TIMEOUT';

/**
 * The candidates at the cursor, as the shell scripts read them. It never fails: with a missing key,
 * broken settings or an unavailable service there are no candidates.
 *
 * @param words the unfinished command line without the program's name; the last one is at the cursor
 */
export async function completionText(
  words: readonly string[],
  vocabulary: Interfaces.Config,
  io: Io,
): Promise<string> {
  try {
    const sources = {
      profiles: profileCandidates,
      connectors: (given: GivenFlags) => connectorCandidates(given, io),
    };
    return candidatesText(await complete(words, vocabulary, sources));
  } catch {
    return '';
  }
}

async function profileCandidates(): Promise<readonly Candidate[]> {
  const {profiles} = await userProfiles().read();
  return Object.entries(profiles).flatMap(([name, {base_url: baseUrl}]) =>
    foreignCandidate(name, baseUrl),
  );
}

/** The first connectors of the service that the line selects, at most 1,000; none without an API key. */
async function connectorCandidates(given: GivenFlags, io: Io): Promise<readonly Candidate[]> {
  // Loaded here: most lines need no service.
  const {createClient} = await import('../../client/create-client.js');
  const service = await import('../../service/settings.js');
  const flags: ServiceFlagValues = Object.fromEntries(
    service.selectingFlags.map((name) => {
      const typed = given.get(name)?.replace(/^~(?=\/)/, homeDirectory(process.env));
      return [name, typed ?? (process.env[service.serviceFlags[name].env ?? ''] || undefined)];
    }),
  );
  const isGiven = (name: string) => given.has(name);
  const chosen = await service.chooseProfile(flags, isGiven, userProfiles(), undefined, io);
  const settings = service.resolveService(flags, isGiven, chosen);
  const {text: key, file} = settings.apiKey;
  // A key that is read from a pipe here would be missing when the command runs.
  if (file === undefined ? key === undefined : !statSync(file).isFile()) return [];
  const timeout = parseDuration(process.env[timeoutVariable] || '1s', timeoutVariable);
  const options = await service.clientOptions(settings, io);
  const {max} = limits.page;
  const connectors = await createClient({...options, timeout, retries: 0})
    .listConnectors({signal: AbortSignal.timeout(timeout), pageSize: max})
    .all({atMost: max});
  return connectors.map(readingOf).flatMap(({id, name, status}) => {
    const about = [name, status && `(${status})`];
    return foreignCandidate(id, about.filter(Boolean).join(' '));
  });
}
