import {connectorField, connectorFields, valueReader} from '../client/read/connector.js';
import type {Client} from '../client/types.js';
import {connectorStatuses, referenceId} from '../contract/limits.js';
import {compileGlob} from '../domain/glob.js';
import type {Json, JsonObject} from '../domain/json.js';
import {suggestion} from '../domain/suggestion.js';
import {AppError} from '../errors.js';

/** Filters, order and limit of a list of connectors. Missing members do not restrict it. */
export interface Selection {
  /** Statuses of the service, one of which must match, compared case-insensitively. */
  readonly status?: readonly string[] | undefined;
  /** Globs for the whole name, one of which must match; see `compileGlob`. */
  readonly name?: readonly string[] | undefined;
  /** Age of the last heartbeat in milliseconds, exclusive; a connector without one never matches. */
  readonly olderThan?: number | undefined;
  readonly sort?: SortKey | undefined;
  /** Maximum number of connectors, 1 or more. */
  readonly limit?: number | undefined;
}

interface SortKey {
  /** A path for `valueReader`. */
  readonly field: string;
  readonly descending: boolean;
}

/** Reads a sort key such as `name`, `-last_heartbeat_at` or `labels.rack`. */
export function parseSortKey(text: string): SortKey {
  const descending = text.startsWith('-');
  return {field: descending ? text.slice(1) : text, descending};
}

/** Connectors as the service sent them, and whether the limit of the selection left out any. */
interface Selected {
  readonly selected: readonly JsonObject[];
  readonly isCut: boolean;
}

/**
 * The connectors of a service that a selection names. Ages count by the service's clock, or by this
 * machine's where the service sends no `Date`.
 *
 * @param columns fields to show
 * @throws AppError as `checkFields` and the client do
 */
export async function selectedConnectors(
  client: Client,
  selection: Selection,
  options: {readonly signal?: AbortSignal; readonly columns?: readonly string[] | undefined} = {},
): Promise<Selected> {
  const {limit, ...rest} = selection;
  const needsAll = limit === undefined || Object.values(rest).some((part) => part !== undefined);
  let now: Date | undefined;
  const list = client.listConnectors({
    signal: options.signal,
    onServerTime: (time) => {
      now = time;
    },
  });
  // One connector more than the limit shows that the list continues.
  const connectors = await list.sent(needsAll ? undefined : limit + 1);
  checkFields(connectors, selection, options.columns);
  return selectConnectors(connectors, selection, now?.getTime() ?? Date.now());
}

/** A filter: the flag, the field that it needs, and its test. */
interface Filter {
  readonly flag: string;
  readonly field: keyof typeof connectorField;
  readonly isMet: (connector: JsonObject) => boolean;
}

/** The filters of a selection. */
function filtersOf({status, name, olderThan}: Selection, now: number): readonly Filter[] {
  const filters: Filter[] = [];
  if (status !== undefined) {
    const words = new Set(status.map((word) => word.toLowerCase()));
    const isMet: Filter['isMet'] = (connector) =>
      words.has(connectorField.status(connector)?.toLowerCase() ?? '');
    filters.push({flag: '--status', field: 'status', isMet});
  }
  if (name !== undefined) {
    const globs = name.map(compileGlob);
    const isMet: Filter['isMet'] = (connector) => {
      const own = connectorField.name(connector);
      return own !== undefined && globs.some((matches) => matches(own));
    };
    filters.push({flag: '--name', field: 'name', isMet});
  }
  if (olderThan !== undefined) {
    const isMet: Filter['isMet'] = (connector) => {
      const at = connectorField.last_heartbeat_at(connector);
      return at ? now - at.getTime() > olderThan : false;
    };
    filters.push({flag: '--older-than', field: 'last_heartbeat_at', isMet});
  }
  return filters;
}

/** Whether a selection has a filter, so that an empty list does not mean that there is no connector. */
export function isFiltered(selection: Selection): boolean {
  return filtersOf(selection, 0).length > 0;
}

/**
 * Filters and sorts the connectors of any service.
 *
 * Sorting is stable. Text is compared by UTF-16 code units, so capitals come first, and numbers before
 * text. Connectors without the field come last in both directions.
 *
 * @param now the service's clock in milliseconds since the Unix epoch
 */
export function selectConnectors(
  connectors: readonly JsonObject[],
  selection: Selection,
  now: number,
): Selected {
  const {sort, limit = Number.POSITIVE_INFINITY} = selection;
  const filters = filtersOf(selection, now);
  const wanted = filters.reduce((left, {isMet}) => left.filter(isMet), connectors);
  const ordered = sort === undefined ? wanted : inOrder(wanted, sort);
  return {selected: ordered.slice(0, limit), isCut: ordered.length > limit};
}

function inOrder(
  connectors: readonly JsonObject[],
  {field, descending}: SortKey,
): readonly JsonObject[] {
  const read = valueReader(field);
  const sign = descending ? -1 : 1;
  // Each value is read once, not in each comparison.
  return connectors
    .map((item) => ({item, order: orderOf(read(item))}))
    .sort((one, other) => compare(one.order, other.order, sign))
    .map(({item}) => item);
}

function compare(left: Order, right: Order, sign: 1 | -1): number {
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  const isText = Number(typeof left === 'string') - Number(typeof right === 'string');
  if (isText !== 0) return isText * sign;
  if (left < right) return -sign;
  return left > right ? sign : 0;
}

type Order = number | bigint | string | undefined;

/** A value to sort by: a number, which compares faster than a time, or a text; undefined without an order. */
function orderOf(value: Json | Date | undefined): Order {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? undefined : value;
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
  connectors: readonly JsonObject[],
  selection: Selection,
  columns: readonly string[] = [],
): void {
  const [first] = connectors;
  if (first === undefined) return;
  for (const status of selection.status ?? []) checkStatus(status, connectorField.id(first) ?? '');
  for (const {flag, field} of filtersOf(selection, 0)) {
    if (connectors.some((one) => connectorField[field](one) !== undefined)) continue;
    const label = field.replace(/_at$/, '').replace('_', ' ');
    const message = `Cannot filter by ${flag}: no connector of this service has a readable ${label}.`;
    throw new AppError('protocol', message, {
      hint: 'See what the service returns with: connectorctl connector list --json',
    });
  }
  if (selection.sort !== undefined) requireField('sort by', selection.sort.field, connectors);
  for (const column of columns) requireField('show', column, connectors);
}

/** Requires that a field occurs, unless connectorctl knows it: a service may leave out any of those. */
function requireField(verb: string, field: string, connectors: readonly JsonObject[]): void {
  const known: readonly string[] = connectorFields;
  const read = valueReader(field);
  if (known.includes(field) || connectors.some((one) => read(one) !== undefined)) return;
  const last = connectors.at(-1) ?? {};
  const there = connectorFields.filter((one) => connectorField[one](last) !== undefined);
  throw new AppError('usage', `Cannot ${verb} ${field}: no connector has this field.`, {
    hint: hintAmong(field, 'fields', [...new Set([...there, ...Object.keys(last)])]),
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
 * @param id of a connector, which shows whether this is the reference service
 * @throws AppError `usage`
 */
export function checkStatus(status: string, id: string): void {
  const word = status.toLowerCase();
  if (connectorStatuses.some((known) => known === word) || !referenceId.test(id)) return;
  throw new AppError('usage', `No such status: ${status}`, {
    hint: hintAmong(word, 'statuses', connectorStatuses),
  });
}
