import {connectorField} from '../../client/read/connector.js';
import {parseJson} from '../../client/read/json.js';
import {type Expected, expectedStates} from '../../domain/check/inventory.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {AppError} from '../../errors.js';
import {parserMessage} from '../../system/system-error.js';
import {parseUserCsv} from '../../terminal/user-csv.js';
import {readUserText} from '../../terminal/user-text.js';

const formatHint =
  "Write CSV with a header that names the columns name and id, a JSON array, or one JSON object per line; connector list -o csv does. From other JSON: jq '[.LIST[] | {name: .FIELD}]'; from Ansible: ansible-inventory --list | jq '[.[].hosts? // [] | .[]] | unique'.";

/**
 * Reads an inventory from CSV with the columns `id`, `name` and `state`, from JSON, or from lines of JSON. JSON may
 * also have the field names of a service's list; see `readEntry`. Other fields are ignored.
 *
 * @param path of the file; `-` is stdin
 * @throws AppError `usage` naming the place, when it cannot be read or an entry is not valid
 */
export async function readInventory(path: string): Promise<readonly Expected[]> {
  const shown = path === '-' ? 'stdin' : path;
  const text = await readUserText({
    path,
    what: 'the inventory',
    hint: 'Pass a readable file with --expect PATH, or pipe it in with --expect -.',
  });
  // An empty text is an empty inventory, although it is neither JSON nor CSV with a header.
  if (text.trim() === '') return [];
  const isJson = /^\s*[[{]/.test(text);
  try {
    if (isJson) return entriesOfJson(text, shown);
    const rows = await parseUserCsv(text, ['name', 'id'], 'state');
    return rows.map(({line, cells}) => readEntry(cells, `${shown}, line ${line}`));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = `Cannot read the inventory ${shown} as ${isJson ? 'JSON' : 'CSV'}: ${parserMessage(error)}`;
    throw new AppError('usage', message, {hint: formatHint, cause: error});
  }
}

/** The entries of a list, or of the list in an object: names, or objects with fields. */
function entriesOfJson(text: string, shown: string): readonly Expected[] {
  const list = listIn(parseDocuments(text));
  if (list === undefined) throw new Error('it holds no list');
  return list.map((element, index) => {
    const fields = typeof element === 'string' ? {name: element} : lowerCased(element);
    return readEntry(fields, `${shown}, entry ${index + 1}`);
  });
}

/** Parses one JSON document, or one per line. An integer keeps its digits. */
function parseDocuments(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map((line) => parseJson(line));
  }
}

function listIn(document: Json): readonly Json[] | undefined {
  const {connectors, items} = Object(document);
  const list = [document, connectors, items].find(Array.isArray);
  // The only line of JSON Lines, or an inventory of one connector.
  const {id, name} = lowerCased(document);
  return list ?? (id === undefined && name === undefined ? undefined : [document]);
}

/** Adds each field under its name in lower case, as for CSV: ignoring a `State` would falsify the result. */
function lowerCased(element: Json): JsonObject {
  const fields: JsonObject = Object(element);
  const lower = Object.entries(fields).map(([key, value]) => [key.toLowerCase(), value]);
  return {...fields, ...Object.fromEntries(lower)};
}

function readEntry(fields: JsonObject, place: string): Expected {
  const id = readField(fields, 'id', place) ?? connectorField.id(fields);
  const name = readField(fields, 'name', place) ?? connectorField.name(fields);
  if (id === undefined && name === undefined) {
    throw new AppError('usage', `${place}: the entry has neither name nor id.`, {
      hint: `Give every connector of the inventory a name or an id. ${formatHint}`,
    });
  }
  // Beside a last heartbeat, `state` is a service's status, unless its value occurs only in inventories.
  const isListed = connectorField.last_heartbeat_at(fields) !== undefined;
  const isStatus = isListed && !/^(absent|present)$/i.test(String(fields['state']));
  const text = (isStatus ? undefined : readField(fields, 'state', place)) ?? 'present';
  const state = expectedStates.find((one) => one === text.toLowerCase());
  if (state !== undefined) return {id, name, state};
  throw new AppError('usage', `${place}: ${JSON.stringify(text)} is not a state.`, {
    hint: `Write ${expectedStates.join(', ')} or nothing. Export a list of the service without its states: connectorctl connector list -o csv --columns id,name`,
  });
}

/** A field as text; undefined when it is absent or empty. */
function readField(fields: JsonObject, field: string, place: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  // The client reads a number as an id too; a fraction as a name may have lost digits, as 1.10 has.
  if (typeof value === 'number' && (field === 'id' || Number.isInteger(value)))
    return String(value);
  throw new AppError('usage', `${place}: \`${field}\` is neither text nor a whole number.`, {
    hint: 'Write ids, names and states as text, in quotes.',
  });
}
