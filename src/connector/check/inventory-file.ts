import {extname} from 'node:path';
import {parseJson} from '../../client/read/json.js';
import {connectorStatuses} from '../../contract/limits.js';
import {type Expected, type ExpectedState, expectedStates} from '../../domain/fleet/inventory.js';
import {referenceId} from '../../domain/selection.js';
import {suggestion} from '../../domain/suggestion.js';
import {AppError} from '../../errors.js';
import {parserMessage} from '../../system/system-error.js';
import {escapeControl} from '../../terminal/escape.js';
import {writeMessage} from '../../terminal/streams.js';
import {parseUserCsv} from '../../terminal/user-csv.js';
import {readUserText} from '../../terminal/user-text.js';

/** The formats of an inventory. `lines` has one name or one id of the reference service per line. */
type Notation = 'csv' | 'json' | 'lines';

const notationOfExtension: Readonly<Record<string, Notation>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'json',
  '.jsonl': 'json',
  '.txt': 'lines',
};

const formatHint = 'Write CSV with the columns name and id, JSON, or one name per line.';

type Fields = Readonly<Record<string, unknown>>;

/** An entry as it is written. */
interface Entry extends Pick<Expected, 'id' | 'name'> {
  readonly state: string | undefined;
  /** Where it is, for errors. */
  readonly place: () => string;
}

/** Reads an entry from its fields. Errors name its place, such as `line 3`. */
type ReadEntry = (fields: Fields, unit: 'line' | 'entry', number: number) => Entry;

/**
 * Reads the connectors that should exist from a CSV file with a header, JSON, lines of JSON, or lines
 * of names. Fields other than `id`, `name` and `state` are ignored, and so is a `state` of the service's own,
 * so that what `connector list` writes is an inventory as it is.
 *
 * @param path of the file; `-` is stdin
 * @param notify takes a line about an unusual inventory
 * @throws AppError `usage` naming the place, when it cannot be read or an entry has neither id nor name
 */
export async function readInventory(
  path: string,
  notify: (line: string) => void = writeMessage,
): Promise<readonly Expected[]> {
  const shown = path === '-' ? 'stdin' : path;
  const text = await readUserText({
    path,
    what: 'the inventory',
    hint: 'Pass a readable file with --expect PATH, or pipe it in with --expect -.',
  });
  // An empty list has no lines, and no JSON.
  if (text.trim() === '') return [];
  const extension = extname(path).toLowerCase();
  // As lines, each `- name: web-1` would be a name that is missing.
  if (['.yaml', '.yml'].includes(extension)) {
    throw new AppError('usage', `An inventory cannot be YAML: ${shown}.`, {hint: formatHint});
  }
  const notation = notationOfExtension[extension] ?? recognize(text);
  try {
    const entries = await readers[notation](text, (fields, unit, number) =>
      readEntry(fields, () => `${shown}, ${unit} ${number}`),
    );
    return withStates(entries, notify);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = parserMessage(error);
    throw new AppError('usage', `Cannot read the inventory ${shown} as ${notation}: ${reason}`, {
      hint: formatHint,
      cause: error,
    });
  }
}

/** The notation of a text whose file name does not show it. */
function recognize(text: string): Notation {
  const start = text.replace(/^(?:\s|#.*)*/, '');
  const [first = ''] = start.split(/\r?\n/, 1);
  if (/^[[{]/.test(start)) return 'json';
  return /^"?(id|name|state)"?\s*(,|$)|,"?(id|name)"?\s*(,|$)/i.test(first) ? 'csv' : 'lines';
}

const readers: Readonly<Record<Notation, (text: string, entry: ReadEntry) => Promise<Entry[]>>> = {
  async csv(text, entry) {
    const entries = await parseUserCsv<Entry, Fields>(text, {
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      onRecord: (fields: Fields, {lines}) => entry(fields, 'line', lines),
    });
    return [...entries];
  },
  async json(text, entry) {
    return elements(parseDocuments(text), entry);
  },
  async lines(text, entry) {
    return text.split(/\r?\n/).flatMap((line, index) => {
      const value = line.trim();
      if (value === '' || value.startsWith('#')) return [];
      const fields = referenceId.test(value) ? {id: value} : {name: value};
      return entry(fields, 'line', index + 1);
    });
  },
};

/** A JSON document, or one per line. An integer keeps its digits. */
function parseDocuments(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map(parseJson);
  }
}

/** The entries of a list, or of the list in an object: names, or objects with fields. */
function elements(document: unknown, entry: ReadEntry): Entry[] {
  const list = Array.isArray(document) ? document : listIn(document);
  if (list === undefined) throw new Error('it holds no list');
  return list.map((element: unknown, index) => {
    const fields = typeof element === 'string' ? {name: element} : lowerCased(element);
    return entry(fields, 'entry', index + 1);
  });
}

function listIn(document: unknown): readonly unknown[] | undefined {
  if (document === null) return [];
  const {connectors, items} = Object(document) as Record<string, unknown>;
  const list = [connectors, items].find(Array.isArray);
  // The only line of `connector list -o ndjson`, or an inventory of one connector.
  const {id, name} = lowerCased(document);
  return list ?? (id === undefined && name === undefined ? undefined : [document]);
}

/** Fields by their names in lower case, as in the header of CSV: a `State` that is ignored would be a false answer. */
function lowerCased(element: unknown): Fields {
  const entries = Object.entries(Object(element));
  return Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), value]));
}

function readEntry(fields: Fields, place: () => string): Entry {
  const id = readField(fields, 'id', place);
  const name = readField(fields, 'name', place);
  if (id === undefined && name === undefined) {
    throw new AppError('usage', `${place()}: the entry has neither name nor id.`, {
      hint: 'Give every connector of the inventory a name or an id.',
    });
  }
  return {id, name, state: readState(fields), place};
}

/** A service may have anything in a field of this name. */
function readState({state}: Fields): string | undefined {
  if (state === undefined || state === '' || typeof state === 'object') return undefined;
  return String(state).toLowerCase();
}

/**
 * The entries with their expected states.
 *
 * @throws AppError `usage` for another state, unless the entries are those of a service
 */
function withStates(
  entries: readonly Entry[],
  notify: (line: string) => void,
): readonly Expected[] {
  const other = entries.find(({state}) => state !== undefined && !isState(state));
  if (other !== undefined && !areOfService(entries)) {
    throw new AppError(
      'usage',
      `${other.place()}: ${JSON.stringify(other.state)} is not a state.`,
      {
        hint: `A state is one of: ${expectedStates.join(', ')}.`,
      },
    );
  }
  if (other !== undefined) {
    const state = escapeControl(JSON.stringify(other.state));
    notify(
      `The inventory is a list of connectors with the service's own states, such as ${state}: they are not expectations, and every connector has to exist in any state.`,
    );
  }
  return entries.map(({id, name, state}) => ({
    id,
    name,
    state: other === undefined && state !== undefined && isState(state) ? state : 'present',
  }));
}

/** Whether `connector list` may have written the entries: each has an id, and no state is mistyped. */
function areOfService(entries: readonly Entry[]): boolean {
  const statuses: readonly string[] = connectorStatuses;
  return entries.every(({id, state = ''}) => {
    const isNear =
      expectedStates.some((expected) => expected.startsWith(state)) ||
      suggestion(state, expectedStates) !== undefined;
    const isOwn = state === '' || state === 'online' || statuses.includes(state) || !isNear;
    return id !== undefined && isOwn;
  });
}

/** A field as text; undefined when it is absent or empty. */
function readField(fields: Fields, field: string, place: () => string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  // An id is read as the client reads it. Of a name, a fraction has lost its digits: 1.10.
  if (typeof value === 'number' && (field === 'id' || Number.isInteger(value)))
    return String(value);
  throw new AppError('usage', `${place()}: \`${field}\` is neither text nor a whole number.`, {
    hint: 'Write ids, names and states as text, in quotes.',
  });
}

function isState(state: string): state is ExpectedState {
  return (expectedStates as readonly string[]).includes(state);
}
