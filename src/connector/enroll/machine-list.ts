import {existsSync} from 'node:fs';
import {limits} from '../../contract/limits.js';
import {claimedKind, isWellFormedSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {parserMessage} from '../../system/system-error.js';
import {shellWord} from '../../terminal/notices.js';
import {parseUserCsv} from '../../terminal/user-csv.js';
import {readUserText} from '../../terminal/user-text.js';

/** A machine that becomes a connector: one row of the list. */
export interface Machine {
  /** In the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Name of its credentials file, without a directory. */
  readonly file: string;
  /** The cells of `MachineList.furtherColumns`. */
  readonly further: readonly string[];
}

/** The machines of a file, valid as a whole. */
export interface MachineList {
  readonly machines: readonly Machine[];
  /** Columns that are carried into the result unchanged. */
  readonly furtherColumns: readonly string[];
}

/** The columns that this command adds to its CSV. A file that has `result` is such a CSV. */
const resultColumns = ['result', 'id', 'error'] as const;

const ownColumns: readonly string[] = ['name', 'file', ...resultColumns];

/** Bytes of a file name, which leave room for the suffixes of the files beside it (NAME_MAX is 255). */
const longestFile = 215;

/** What is wrong with a line. */
type Problem = readonly [line: number, text: string];

/** A record of the file. */
interface Row {
  readonly cells: readonly string[];
  readonly line: number;
}

/**
 * Reads a list of machines: CSV with a header and a column `name`, and optionally `file`.
 *
 * @param path of the file; `-` is stdin
 * @throws AppError `usage` that lists every problem with its line
 */
export async function readMachineList(path: string): Promise<MachineList> {
  const shown = path === '-' ? 'stdin' : path;
  const [header = {cells: [], line: 1}, ...rows] = await readRows(path, shown);
  const titles = header.cells.map((title) => title.trim());
  const wrong = problemsOfHeader(titles).map((text): Problem => [header.line, text]);
  if (wrong.length > 0) throw refusal(shown, wrong);
  const read = rows.map((row) => ({row, machine: machineOf(row, titles)}));
  const machines = read.map(({machine}) => machine);
  const problems = [
    ...read.flatMap(({row, machine}) =>
      problemsOf(row, titles, machine).map((text): Problem => [row.line, text]),
    ),
    ...duplicatesIn(machines),
  ];
  if (problems.length > 0) throw refusal(shown, problems);
  return {machines, furtherColumns: titles.filter(isFurther)};
}

async function readRows(path: string, shown: string): Promise<readonly Row[]> {
  const content = await readUserText({
    path,
    what: 'the list of machines',
    hint:
      path === '-' || existsSync(path)
        ? 'Pass a readable CSV file, or - for a pipe.'
        : `For one machine, write: connectorctl connector activate --name ${shellWord(path)}`,
  });
  try {
    const records = await parseUserCsv<{record: string[]; info: {lines: number}}, string[]>(
      content,
      {info: true, relax_column_count: true},
    );
    return records.map(({record, info}) => ({cells: record, line: info.lines}));
  } catch (error) {
    throw new AppError('usage', `Cannot read ${shown} as CSV: ${parserMessage(error)}`, {
      hint: 'Write CSV (RFC 4180): a header with the column name, then one line per machine.',
      cause: error,
    });
  }
}

/** Whether a column is none of this command, for which case does not matter. */
const isFurther = (title: string) => !ownColumns.includes(title.toLowerCase());

function problemsOfHeader(titles: readonly string[]): readonly string[] {
  const known = titles.map((title) => title.toLowerCase());
  const timesOf = (column: string) => known.filter((other) => other === column).length;
  return [
    ...(known.includes('name') ? [] : [withoutName(titles)]),
    ...[...new Set(known)]
      .filter((column) => timesOf(column) > 1)
      .map((column) => `the column ${quoted(column)} is there ${timesOf(column)} times`),
    ...resultColumns
      .filter((column) => known.includes(column) && !known.includes('result'))
      .map((column) => `the column \`${column}\` is for results; give it another name`),
  ];
}

/** What is wrong with a first line that has no column `name`. */
function withoutName([first = '', ...others]: readonly string[]): string {
  if (first === '' && others.length === 0) {
    return 'there are no columns; write a first line such as name,file';
  }
  const separator = others.length > 0 ? undefined : /[;\t]/.exec(first)?.[0];
  if (separator === undefined) return 'there is no column `name`; the first line names them';
  const used = separator === ';' ? 'semicolons' : 'tabs';
  return `the columns are separated by ${used}; separate them by commas`;
}

function machineOf({line, cells}: Row, titles: readonly string[]): Machine {
  const cell = (column: string) =>
    (cells[titles.findIndex((title) => title.toLowerCase() === column)] ?? '').trim();
  const name = cell('name');
  const further = cells.filter((_, at) => isFurther(titles[at] ?? 'name'));
  return {line, name, file: cell('file') || `${name}.json`, further};
}

function problemsOf({cells}: Row, titles: readonly string[], {name, file}: Machine) {
  const {length} = [...name];
  const isComplete = cells.length === titles.length;
  const has = cells.length === 1 ? '1 column' : `${cells.length} columns`;
  const ofFile = length === 0 && file === '.json' ? undefined : problemOfFile(file, name);
  const checks: readonly (readonly [isWrong: boolean, text: string | undefined])[] = [
    [!isComplete, `it has ${has}, and the first line ${titles.length}`],
    [isComplete && String(cells) === String(titles), 'it repeats the first line; remove it'],
    [
      cells.some((cell) => /\p{Cc}/u.test(cell)),
      'a cell contains control characters or line breaks',
    ],
    [length === 0, 'the name is empty'],
    [
      length > limits.nameLength,
      `the name has ${length} characters; ${limits.nameLength} are allowed`,
    ],
    [isSecret(name), 'the name is a token or an API key'],
    [ofFile !== undefined, ofFile],
  ];
  return checks.flatMap(([isWrong, text]) => (isWrong && text !== undefined ? [text] : []));
}

function isSecret(text: string): boolean {
  const kind = claimedKind(text);
  return kind !== undefined && isWellFormedSecret(kind, text);
}

/** A plain file name: whatever the list says, nothing outside the directory can be written. */
function problemOfFile(file: string, name: string): string | undefined {
  const isMade = file === `${name}.json`;
  const subject = isMade
    ? `the name makes the file ${quoted(file)}, which`
    : `the file ${quoted(file)}`;
  const rules: readonly (readonly [isBroken: boolean, what: string])[] = [
    [/[/\\]/.test(file), 'leaves the directory, or names one below it'],
    [file.startsWith('.'), 'is hidden'],
    [/\.pending(\.tmp)?$|\.lock$/.test(file), "has a suffix of connectorctl's own"],
    [Buffer.byteLength(file) > longestFile, `is longer than ${longestFile} bytes`],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  return broken && `${subject} ${broken[1]}${isMade ? '; give another in the column `file`' : ''}`;
}

/** Names, and files: two that differ in case alone are one file on some systems. */
function duplicatesIn(machines: readonly Machine[]): readonly Problem[] {
  const names = new Map<string, number>();
  const files = new Map<string, number>();
  const problems: Problem[] = [];
  for (const {line, name, file} of machines) {
    const key = file.normalize('NFC').toLowerCase();
    const [sameName, sameFile] = [names.get(name), files.get(key)];
    if (sameName !== undefined && name !== '') {
      problems.push([line, `the name ${quoted(name)} is on line ${sameName} already`]);
    } else if (sameFile !== undefined) {
      problems.push([line, `the file ${quoted(file)} is that of line ${sameFile} already`]);
    }
    names.set(name, sameName ?? line);
    files.set(key, sameFile ?? line);
  }
  return problems;
}

function refusal(shown: string, problems: readonly Problem[]): AppError {
  const lines = problems.toSorted(([one], [other]) => one - other);
  const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
  const texts = lines.map(([line, text]) => `line ${line}: ${text}`);
  return new AppError('usage', [`${shown} has ${count}; nothing was sent.`, ...texts].join('\n'), {
    hint: 'Correct the file, then run the command again; --dry-run checks it without sending anything.',
  });
}

/** The longest text that a message repeats, in characters: of a valid name all. */
const longestQuoted = 256;

const quoted = (text: string) =>
  JSON.stringify(text.length > longestQuoted ? `${text.slice(0, longestQuoted)}…` : text);
