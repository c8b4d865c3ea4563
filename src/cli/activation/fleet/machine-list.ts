import {existsSync} from 'node:fs';
import {limits} from '../../../contract/limits.js';
import {AppError} from '../../../errors.js';
import {shellWord} from '../../../render/notices.js';
import {refuseSecret} from '../../errors/misplaced-secret.js';
import {parserMessage} from '../../errors/system-error.js';
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

/**
 * Reads a list of machines: CSV with a header and a column `name`, and optionally `file`.
 *
 * @param path of the file; `-` is stdin
 * @throws AppError `usage` that lists every problem with its line
 */
export async function readMachineList(path: string): Promise<MachineList> {
  const shown = path === '-' ? 'stdin' : path;
  const rows = await readRows(path, shown);
  const [header, ...records] = rows;
  const titles = (header?.cells ?? []).map((title) => title.trim());
  const columns = new Columns(titles);
  const problems = new Problems();
  columns.check(header?.line ?? 1, problems);
  const machines = problems.isEmpty
    ? records.map((row) => readMachine(row, columns, problems))
    : [];
  checkDuplicates(machines, problems);
  problems.throwIfAny(shown);
  return {machines, furtherColumns: columns.further};
}

/** A record of the file. */
interface Row {
  readonly cells: readonly string[];
  readonly line: number;
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

/** The columns of a list, by name. Case does not matter for the columns that this command knows. */
class Columns {
  readonly #titles: readonly string[];
  readonly #known: readonly string[];

  constructor(titles: readonly string[]) {
    this.#titles = titles;
    this.#known = titles.map((title) => title.toLowerCase());
  }

  get count(): number {
    return this.#titles.length;
  }

  /** Columns that this command does not know. */
  get further(): readonly string[] {
    return this.#titles.filter((title) => !ownColumns.includes(title.toLowerCase()));
  }

  has(column: string): boolean {
    return this.#known.includes(column);
  }

  cell({cells}: Row, column: string): string {
    return (cells[this.#known.indexOf(column)] ?? '').trim();
  }

  /** Whether a row is the first line once more, as in two lists that were joined. */
  isRepeatedIn({cells}: Row): boolean {
    return cells.length === this.count && cells.every((cell, at) => cell === this.#titles[at]);
  }

  furtherCells({cells}: Row): readonly string[] {
    return cells.filter((_, at) => !ownColumns.includes(this.#known[at] ?? ''));
  }

  check(line: number, problems: Problems): void {
    if (!this.has('name')) problems.add(line, withoutName(this.#titles));
    for (const column of new Set(this.#known)) {
      const times = this.#known.filter((other) => other === column).length;
      if (times > 1) problems.add(line, `the column ${quoted(column)} is there ${times} times`);
    }
    for (const column of resultColumns) {
      if (!this.has(column) || this.has('result')) continue;
      problems.add(line, `the column \`${column}\` is for results; give it another name`);
    }
  }
}

/** What is wrong with a first line that has no column `name`. */
function withoutName([first = '', ...others]: readonly string[]): string {
  if (first === '' && others.length === 0) {
    return 'there are no columns; write a first line such as name,file';
  }
  const separator = others.length > 0 ? undefined : /[;\t]/.exec(first)?.[0];
  if (separator !== undefined) {
    const used = separator === ';' ? 'semicolons' : 'tabs';
    return `the columns are separated by ${used}; separate them by commas`;
  }
  return 'there is no column `name`; the first line names them';
}

/** What is wrong with a list. */
class Problems {
  readonly #all: {readonly line: number; readonly text: string}[] = [];

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  add(line: number, text: string): void {
    this.#all.push({line, text});
  }

  throwIfAny(shown: string): void {
    if (this.isEmpty) return;
    const sorted = this.#all.sort((one, other) => one.line - other.line);
    const lines = sorted.map(({line, text}) => `line ${line}: ${text}`);
    const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`;
    throw new AppError('usage', [`${shown} has ${count}; nothing was sent.`, ...lines].join('\n'), {
      hint: 'Correct the file, then run the command again; --dry-run checks it without sending anything.',
    });
  }
}

function readMachine(row: Row, columns: Columns, problems: Problems): Machine {
  const {line, cells} = row;
  const report = (text: string) => problems.add(line, text);
  if (cells.length !== columns.count) {
    const has = cells.length === 1 ? '1 column' : `${cells.length} columns`;
    report(`it has ${has}, and the first line ${columns.count}`);
  }
  if (columns.isRepeatedIn(row)) report('it repeats the first line; remove it');
  if (cells.some((cell) => /\p{Cc}/u.test(cell))) {
    report('a cell contains control characters or line breaks');
  }
  const name = columns.cell(row, 'name');
  checkName(name, report);
  const given = columns.cell(row, 'file');
  const file = given === '' ? `${name}.json` : given;
  if (name !== '' || given !== '') checkFile(file, given !== '', report);
  return {line, name, file, further: columns.furtherCells(row)};
}

function checkName(name: string, report: (text: string) => void): void {
  const length = [...name].length;
  if (length === 0) report('the name is empty');
  if (length > limits.nameLength) {
    report(`the name has ${length} characters; ${limits.nameLength} are allowed`);
  }
  try {
    refuseSecret(name, 'a name', '');
  } catch {
    report('the name is a token or an API key');
  }
}

/** A plain file name: whatever the list says, nothing outside the directory can be written. */
function checkFile(file: string, isGiven: boolean, report: (text: string) => void): void {
  const subject = isGiven
    ? `the file ${quoted(file)}`
    : `the name makes the file ${quoted(file)}, which`;
  const advice = isGiven ? '' : '; give another in the column `file`';
  if (/[/\\]/.test(file)) report(`${subject} leaves the directory, or names one below it${advice}`);
  else if (file.startsWith('.')) report(`${subject} is hidden${advice}`);
  else if (/\.pending(\.tmp)?$|\.lock$/.test(file))
    report(`${subject} has a suffix of connectorctl's own${advice}`);
  if (Buffer.byteLength(file) > longestFile) {
    report(`${subject} is longer than ${longestFile} bytes${advice}`);
  }
}

/** Names, and files: two that differ in case alone are one file on some systems. */
function checkDuplicates(machines: readonly Machine[], problems: Problems): void {
  const lineOfName = new Map<string, number>();
  const lineOfFile = new Map<string, number>();
  for (const {line, name, file} of machines) {
    const sameName = lineOfName.get(name);
    const key = file.normalize('NFC').toLowerCase();
    const sameFile = lineOfFile.get(key);
    if (sameName !== undefined && name !== '') {
      problems.add(line, `the name ${quoted(name)} is on line ${sameName} already`);
    } else if (sameFile !== undefined) {
      problems.add(line, `the file ${quoted(file)} is that of line ${sameFile} already`);
    }
    if (sameName === undefined) lineOfName.set(name, line);
    if (sameFile === undefined) lineOfFile.set(key, line);
  }
}

/** The longest text that a message repeats, in characters: of a valid name all. */
const longestQuoted = 256;

const quoted = (text: string) =>
  JSON.stringify(text.length > longestQuoted ? `${text.slice(0, longestQuoted)}…` : text);
