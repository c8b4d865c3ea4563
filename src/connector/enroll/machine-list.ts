import {limits} from '../../contract/limits.js';
import {secretIn} from '../../domain/secret.js';
import {counted, firstOf} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import {parserMessage} from '../../system/system-error.js';
import {parseUserCsv} from '../../terminal/user-csv.js';
import {readUserText} from '../../terminal/user-text.js';

/** A machine that becomes a connector: one row of the list. */
export interface Machine {
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Name of its credentials file, without a directory. */
  readonly file: string;
}

/** Maximum bytes of a file name: NAME_MAX (255) less the suffixes of the files beside it. */
const longestFile = 215;

type LineProblem = readonly [line: number, text: string];

/**
 * Reads a list of machines: CSV with a header and a column `name`, and optionally `file`. Other columns are ignored.
 *
 * @param path of the file; `-` is stdin
 * @throws AppError `usage` that lists the first problems (`mostShown`), each with its line
 */
export async function readMachineList(path: string): Promise<readonly Machine[]> {
  const shown = path === '-' ? 'stdin' : path;
  const text = await readUserText({
    path,
    what: 'the list of machines',
    hint: 'Pass a readable CSV file, or - for a pipe. For one machine, see: connectorctl connector activate --help',
  });
  const machines = await parse(text, shown);
  const problems = [
    ...machines.flatMap((machine) => [...problemsOf(machine)]),
    ...duplicatesIn(machines),
  ];
  if (problems.length > 0) throw refusal(shown, problems);
  return machines;
}

async function parse(text: string, shown: string): Promise<readonly Machine[]> {
  try {
    const rows = await parseUserCsv(text, ['name'], 'file');
    return rows.map(({line, cells: {name = '', file = ''}}) => {
      return {line, name: name.trim(), file: file.trim() || `${name.trim()}.json`};
    });
  } catch (error) {
    const message = `Cannot read ${shown} as CSV: ${parserMessage(error)}; nothing was sent.`;
    throw new AppError('usage', message, {
      hint: `Write CSV: a first line such as name,file, then one line per machine. From JSON: jq -r '["name"], (.LIST[] | [.FIELD]) | @csv'; from Ansible: ansible-inventory --list | jq -r '"name", ([.[].hosts? // [] | .[]] | unique[])'.`,
      cause: error,
    });
  }
}

function* problemsOf({line, name, file}: Machine): Generator<LineProblem> {
  const {length} = [...name];
  if (/\p{Cc}/u.test(name + file))
    yield [line, 'a cell contains control characters or line breaks'];
  if (length === 0) yield [line, 'the name is empty'];
  if (length > limits.nameLength)
    yield [line, `the name has ${length} characters; ${limits.nameLength} are allowed`];
  const secret = secretIn(name);
  if (secret !== undefined) yield [line, `the name is ${secret}`];
  if (length === 0 && file === '.json') return;
  const remedy = file === `${name}.json` ? '; give another in the column `file`' : '';
  for (const [broken, what] of fileRules)
    if (broken(file)) yield [line, `the file ${quoted(file)} ${what}${remedy}`];
}

/** The rules for a file name, so that a list can write nothing outside the directory. */
const fileRules: readonly (readonly [broken: (file: string) => boolean, what: string])[] = [
  [(file) => /[/\\]/.test(file), 'leaves the directory, or names one below it'],
  [(file) => /^\.(?!.*[/\\])/.test(file), 'is hidden'],
  [(file) => /\.pending(\.tmp)?$|\.lock$/.test(file), 'has a suffix that connectorctl reserves'],
  [(file) => Buffer.byteLength(file) > longestFile, `is longer than ${longestFile} bytes`],
];

/** Finds repeated names and files. Files that differ in case alone are one file on some systems. */
function duplicatesIn(machines: readonly Machine[]): readonly LineProblem[] {
  const lines = new Map<string, number>();
  return machines.flatMap(({line, name, file}): readonly LineProblem[] => {
    const keys = [`name ${name}`, `file ${file.normalize('NFC').toLowerCase()}`];
    const [sameName, sameFile] = keys.map((key) => lines.get(key));
    for (const key of keys) lines.set(key, lines.get(key) ?? line);
    if (sameName !== undefined && name !== '') {
      return [[line, `the name ${quoted(name)} is on line ${sameName} already`]];
    }
    if (sameFile === undefined) return [];
    return [[line, `the file ${quoted(file)} is that of line ${sameFile} already`]];
  });
}

/** The most problems that an error lists: every line of the wrong kind of file may have one. */
const mostShown = 50;

function refusal(shown: string, problems: readonly LineProblem[]): AppError {
  const texts = problems
    .toSorted(([one], [other]) => one - other)
    .map(([line, text]) => `line ${line}: ${text}`);
  const head = `${shown} has ${counted(texts.length, 'problem')}; nothing was sent.`;
  return new AppError('usage', [head, ...firstOf(texts, mostShown)].join('\n'), {
    hint: 'Correct the file, then run the command again; --dry-run checks it and activates nothing.',
  });
}

/** The longest text that a message repeats whole, in UTF-16 code units; no valid name is longer. */
const longestQuoted = 256;

const quoted = (text: string) =>
  JSON.stringify(text.length > longestQuoted ? `${text.slice(0, longestQuoted)}…` : text);
