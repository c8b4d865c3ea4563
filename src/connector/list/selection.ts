import {type ConnectorField, connectorField, valueReader} from '../../client/read/connector.js';
import type {Client} from '../../client/types.js';
import {labelOf} from '../../domain/check/sentence.js';
import {nameMatcher} from '../../domain/glob.js';
import type {Json, JsonObject} from '../../domain/json.js';
import {checkStatus, requireField, requireFieldFor} from '../fields/known-names.js';
import {onlineByWordAlone} from '../online-within.js';

/** The flags that choose connectors and fields from a list. Missing ones do not restrict it. */
export interface Selection {
  /** Statuses of the service, one of which must match, compared case-insensitively. */
  readonly status?: readonly string[] | undefined;
  /** Globs for the whole name, one of which must match; see `nameMatcher`. */
  readonly name?: readonly string[] | undefined;
  /** Age of the last heartbeat in milliseconds, exclusive; a connector without a heartbeat never matches. */
  readonly 'older-than'?: number | undefined;
  /** A path for `valueReader`, with `:desc` at its end for descending order: `name`, `labels.rack:desc`. */
  readonly sort?: string | undefined;
  /** Paths of the fields to show. */
  readonly columns?: readonly string[] | undefined;
}

const descending = /:desc$/;

const fieldOf = (key: string) => key.replace(descending, '');

/** The selected connectors, and what notices report about the list. */
interface Selected {
  readonly selected: readonly JsonObject[];
  /** The labels of connectors that only the service calls online; filters other than `name` may hide them. */
  readonly contradicted: readonly string[];
  /** The globs, if there are connectors but no name matches; else undefined. */
  readonly unmatched: readonly string[] | undefined;
}

/**
 * The connectors of a service that a selection names.
 *
 * @param now the current time that ages count from, in milliseconds since the Unix epoch
 * @throws AppError for statuses and fields that the service does not have, and as the client does
 */
export async function listSelected(
  client: Client,
  selection: Selection,
  {now, signal}: {readonly now: () => number; readonly signal?: AbortSignal},
): Promise<Selected> {
  const {name, ...others} = selection;
  const {sort, status = [], columns = []} = others;
  const connectors = await client.listConnectors({signal}).all();
  for (const word of status) checkStatus(word, connectors[0]);
  for (const flag of filtersIn(selection))
    requireFieldFor(`filter by --${flag}`, filters[flag].field, connectors);
  if (sort !== undefined) requireField('sort by', fieldOf(sort), connectors);
  for (const column of columns) requireField('show', column, connectors);
  const at = now();
  const named = selectConnectors(connectors, {name}, at);
  const contradicted = onlineByWordAlone(named, at).map((one) =>
    labelOf(connectorField.name(one), connectorField.id(one)),
  );
  const unmatched = named.length === 0 && connectors.length > 0 ? name : undefined;
  return {selected: selectConnectors(named, others, at), contradicted, unmatched};
}

/** A filter: the field that it needs, and the test of a connector for the value of its flag. */
interface Filter {
  readonly field: ConnectorField;
  readonly test: (selection: Selection, now: number) => (connector: JsonObject) => boolean;
}

const filters = {
  status: {
    field: 'status',
    test({status = []}) {
      const words = status.map((word) => word.toLowerCase());
      return (one) => words.includes(connectorField.status(one)?.toLowerCase() ?? '');
    },
  },
  name: {
    field: 'name',
    test({name}) {
      const matches = nameMatcher(name);
      return (one) => matches(connectorField.name(one));
    },
  },
  'older-than': {
    field: 'last_heartbeat_at',
    test: ({'older-than': age = 0}, now) => {
      return (one) => now - (connectorField.last_heartbeat_at(one)?.getTime() ?? now) > age;
    },
  },
} satisfies Readonly<Record<string, Filter>>;

/** The filters of a selection. */
const filtersIn = (selection: Selection) =>
  (Object.keys(filters) as (keyof typeof filters)[]).filter(
    (flag) => selection[flag] !== undefined,
  );

/** Whether a selection has a filter, so that an empty list does not mean that there is no connector. */
export const isFiltered = (selection: Selection): boolean => filtersIn(selection).length > 0;

/**
 * Filters and sorts the connectors of any service.
 *
 * Sorting is stable. Text is compared by UTF-16 code units, so `Z` comes before `a`; numbers come before text.
 * Connectors without the field, or with an object or a list in it, come last in both directions.
 *
 * @param now the time that ages count from, in milliseconds since the Unix epoch
 */
export function selectConnectors(
  connectors: readonly JsonObject[],
  selection: Selection,
  now: number,
): readonly JsonObject[] {
  const {sort} = selection;
  const tests = filtersIn(selection).map((flag) => filters[flag].test(selection, now));
  const isWanted = (one: JsonObject) => tests.every((test) => test(one));
  const wanted = tests.length === 0 ? connectors : connectors.filter(isWanted);
  return sort === undefined ? wanted : inOrder(wanted, sort);
}

function inOrder(connectors: readonly JsonObject[], sort: string): readonly JsonObject[] {
  const read = valueReader(fieldOf(sort));
  const sign = descending.test(sort) ? -1 : 1;
  // Each value is read once, not in each comparison.
  return connectors
    .map((item) => ({item, order: orderOf(read(item))}))
    .sort((one, other) => compare(one.order, other.order, sign))
    .map(({item}) => item);
}

type Order = number | bigint | string | undefined;

/** A value to sort by: a number, which compares faster than a time, or a text; undefined without an order. */
function orderOf(value: Json | Date | undefined): Order {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? undefined : value;
}

function compare(left: Order, right: Order, sign: 1 | -1): number {
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  const isText = Number(typeof left === 'string') - Number(typeof right === 'string');
  return sign * (isText || Number(left > right) - Number(left < right));
}
