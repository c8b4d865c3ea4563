import {parseJson} from '../../client/read/json.js';
import {type Expected, expectedStates} from '../../domain/check/inventory.js';
import {AppError} from '../../errors.js';
import {parserMessage} from '../../system/system-error.js';
import type {Io} from '../../terminal/io.js';
import {parseUserCsv} from '../../terminal/user-csv.js';
import {readUserText} from '../../terminal/user-text.js';

const formatHint =
  'Write CSV with a header that names the columns name and id, or JSON; connector list -o csv does.';

type Fields = Readonly<Record<string, unknown>>;

/** An entry as written, and its place for errors, such as `line 3`. */
interface Row {
  readonly fields: Fields;
  readonly place: string;
}

/**
 * Reads the connectors that should exist from a CSV file with a header, JSON, or lines of JSON. Fields other than
 * `id`, `name` and `state` are ignored.
 *
 * @param path of the file; `-` is stdin
 * @throws AppError `usage` naming the place, when it cannot be read or an entry has neither id nor name
 */
export async function readInventory(path: string, io: Io): Promise<readonly Expected[]> {
  const shown = path === '-' ? 'stdin' : path;
  const text = await readUserText({
    path,
    what: 'the inventory',
    hint: 'Pass a readable file with --expect PATH, or pipe it in with --expect -.',
    io,
  });
  // An empty text is an empty inventory, although it is neither JSON nor CSV with a header.
  if (text.trim() === '') return [];
  const isJson = /^\s*[[{]/.test(text);
  try {
    const rows = isJson ? rowsOfJson(text) : await rowsOfCsv(text);
    return rows.map(({fields, place}) => readEntry(fields, `${shown}, ${place}`));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = `Cannot read the inventory ${shown} as ${isJson ? 'JSON' : 'CSV'}: ${parserMessage(error)}`;
    throw new AppError('usage', message, {hint: formatHint, cause: error});
  }
}

function rowsOfCsv(text: string): Promise<readonly Row[]> {
  return parseUserCsv<Row, Fields>(text, {
    columns(header: string[]) {
      const columns = header.map((name) => name.trim().toLowerCase());
      if (columns.includes('id') || columns.includes('name')) return columns;
      throw new Error('its first line names no column name or id');
    },
    // `connector list -o csv` marks what a spreadsheet would evaluate.
    cast: (text) => text.replace(/^'(?=[=+@-])/, ''),
    onRecord: (fields: Fields, {lines}) => ({fields, place: `line ${lines}`}),
  });
}

/** The entries of a list, or of the list in an object: names, or objects with fields. */
function rowsOfJson(text: string): readonly Row[] {
  const list = listIn(parseDocuments(text));
  if (list === undefined) throw new Error('it holds no list');
  return list.map((element: unknown, index) => {
    const fields = typeof element === 'string' ? {name: element} : lowerCased(element);
    return {fields, place: `entry ${index + 1}`};
  });
}

/** Parses one JSON document, or one per line. An integer keeps its digits. */
function parseDocuments(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map(parseJson);
  }
}

function listIn(document: unknown): readonly unknown[] | undefined {
  const {connectors, items} = Object(document) as Fields;
  const list = [document, connectors, items].find(Array.isArray);
  // The only line of `connector list -o ndjson`, or an inventory of one connector.
  const {id, name} = lowerCased(document);
  return list ?? (id === undefined && name === undefined ? undefined : [document]);
}

/** Fields by their names in lower case, as in the header of CSV: to ignore a `State` would falsify the result. */
function lowerCased(element: unknown): Fields {
  const entries = Object.entries(Object(element));
  return Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), value]));
}

function readEntry(fields: Fields, place: string): Expected {
  const id = readField(fields, 'id', place);
  const name = readField(fields, 'name', place);
  if (id === undefined && name === undefined) {
    throw new AppError('usage', `${place}: the entry has neither name nor id.`, {
      hint: 'Give every connector of the inventory a name or an id.',
    });
  }
  const text = readField(fields, 'state', place) ?? 'present';
  const state = expectedStates.find((one) => one === text.toLowerCase());
  if (state !== undefined) return {id, name, state};
  throw new AppError('usage', `${place}: ${JSON.stringify(text)} is not a state.`, {
    hint: `Write ${expectedStates.join(', ')} or nothing. Export a list of the service without its states: connectorctl connector list -o csv --columns id,name`,
  });
}

/** A field as text; undefined when it is absent or empty. */
function readField(fields: Fields, field: string, place: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  // The client reads a number as an id too; a name that is a fraction has lost digits, such as those of 1.10.
  if (typeof value === 'number' && (field === 'id' || Number.isInteger(value)))
    return String(value);
  throw new AppError('usage', `${place}: \`${field}\` is neither text nor a whole number.`, {
    hint: 'Write ids, names and states as text, in quotes.',
  });
}
