import type {Client, ConnectorReading} from '../client/types.js';
import {connectorStatuses} from '../contract/limits.js';
import {
  connectorFields,
  fieldValue,
  referenceId,
  type Selectable,
  type Selection,
  selectConnectors,
  valueReader,
} from '../domain/selection.js';
import {suggestion} from '../domain/suggestion.js';
import {AppError} from '../errors.js';

/** The filters of a selection: the flag of each, the field that it needs, and the name of the field in messages. */
const filters = {
  status: {flag: '--status', field: 'status', label: 'status'},
  name: {flag: '--name', field: 'name', label: 'name'},
  olderThan: {flag: '--older-than', field: 'lastHeartbeatAt', label: 'last heartbeat'},
} as const;

const filterNames = Object.keys(filters) as (keyof typeof filters)[];

/** Whether a selection has a filter, so that an empty list does not mean that there is no connector. */
export function isFiltered(selection: Selection): boolean {
  return filterNames.some((name) => selection[name] !== undefined);
}

/** Options for reading a list: the signal that cancels it, and the fields to show. */
interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly columns?: readonly string[] | undefined;
}

/**
 * The connectors of a service that a selection names. Ages count by the service's clock, or by this
 * machine's where the service sends no `Date`.
 *
 * @returns also whether its limit left out any
 * @throws AppError as `checkFields` and the client do
 */
export async function selectedConnectors(
  client: Client,
  selection: Selection,
  {signal, columns}: ReadOptions = {},
): Promise<ReturnType<typeof selectConnectors<ConnectorReading>>> {
  const {limit, ...rest} = selection;
  const needsAll = limit === undefined || Object.values(rest).some((part) => part !== undefined);
  let now: Date | undefined;
  const list = client.listConnectors({
    signal,
    onServerTime: (time) => {
      now = time;
    },
  });
  // One more shows that there are more.
  const connectors = await list.toArray(needsAll ? undefined : limit + 1);
  checkFields(connectors, selection, columns);
  return selectConnectors(connectors, selection, now?.getTime() ?? Date.now());
}

/**
 * Fails when no connector has the field of a filter, an order or a column: an empty list would read as
 * "none is offline".
 *
 * @param columns fields to show
 * @throws AppError `protocol` when no connector has the field of a filter, `usage` when none has the field to sort by
 *   or to show, and when the reference service does not know the status
 */
export function checkFields(
  connectors: readonly Selectable[],
  selection: Selection,
  columns: readonly string[] = [],
): void {
  const [first] = connectors;
  if (first === undefined) return;
  for (const status of selection.status ?? []) checkStatus(status, first);
  for (const name of filterNames) {
    const {flag, field, label} = filters[name];
    if (selection[name] === undefined || connectors.some((one) => one[field] !== undefined))
      continue;
    const message = `Cannot filter by ${flag}: no connector of this service has a readable ${label}.`;
    throw new AppError('protocol', message, {
      hint: 'See what the service returns with: connectorctl connector list --json',
    });
  }
  if (selection.sort !== undefined) requireField('sort by', selection.sort.field, connectors);
  for (const column of columns) requireField('show', column, connectors);
}

/** Of the fields that connectorctl knows under all names that services use, none is required. */
function requireField(verb: string, field: string, connectors: readonly Selectable[]): void {
  const known: readonly string[] = connectorFields;
  const read = valueReader(field);
  if (known.includes(field) || connectors.some((one) => read(one) !== undefined)) return;
  const last = connectors.at(-1);
  const there = connectorFields.filter((one) => last && fieldValue(last, one) !== undefined);
  const fields = [...new Set([...there, ...Object.keys(last?.raw ?? {})])];
  throw new AppError('usage', `Cannot ${verb} ${field}: no connector has this field.`, {
    hint: hintAmong(field, 'fields', fields),
  });
}

/** Names all words that are possible, and the one that was probably meant. */
function hintAmong(word: string, what: string, words: readonly string[]): string {
  const near = suggestion(word, words);
  const all = `The ${what} are: ${words.join(', ')}.`;
  return near === undefined ? all : `Did you mean ${near}? ${all}`;
}

/**
 * Refuses a status that the reference service does not have.
 *
 * @param connector its id shows whether this is the reference service
 * @throws AppError `usage`
 */
export function checkStatus(status: string, {id}: Pick<Selectable, 'id'>): void {
  const statuses: readonly string[] = connectorStatuses;
  if (statuses.includes(status.toLowerCase())) return;
  if (!referenceId.test(id)) return;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: hintAmong(status.toLowerCase(), 'statuses', statuses),
  });
}
