import type {Connector} from '../contract/index.js';
import {compileGlob} from './glob.js';
import type {Json, JsonObject} from './json.js';

/** The fields of a connector that selecting and sorting use. Undefined: the service did not send it. */
export interface Selectable {
  readonly id: string;
  readonly name: string | undefined;
  readonly status: string | undefined;
  readonly organization: string | undefined;
  readonly activatedAt: Date | undefined;
  readonly lastHeartbeatAt: Date | null | undefined;
  /** The connector as the service sent it. */
  readonly raw?: JsonObject | undefined;
}

type FieldValue = string | Date | null | undefined;

/** In the order of the columns of CSV. */
const readers = {
  id: (connector) => connector.id,
  name: (connector) => connector.name,
  status: (connector) => connector.status,
  organization: (connector) => connector.organization,
  activated_at: (connector) => connector.activatedAt,
  last_heartbeat_at: (connector) => connector.lastHeartbeatAt,
} satisfies Record<
  Exclude<keyof Connector, 'identity_shared_at'>,
  (connector: Selectable) => FieldValue
>;

/** A field of a connector in the interface. */
export type ConnectorField = keyof typeof readers;

/** The sortable fields of a connector, in the order of the columns of CSV. */
export const connectorFields = Object.keys(readers) as readonly ConnectorField[];

/** A connector's field by its name in the interface; null or undefined when it is missing. */
export function fieldValue(connector: Selectable, field: ConnectorField): FieldValue {
  return readers[field](connector);
}

/** The heading of a field in tables: `LAST HEARTBEAT`. */
export function titleOf(field: ConnectorField): string {
  return field.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase();
}

/** The field that a user names by its name or by its heading in any case; any other text unchanged. */
export function fieldOfTitle(text: string): string {
  const typed = text.trim().toUpperCase();
  const names = (field: ConnectorField) => [titleOf(field), field.toUpperCase()];
  return connectorFields.find((field) => names(field).includes(typed)) ?? text;
}

/**
 * Reads a value by the name of its field: one of `connectorFields` under any name that services use, or any
 * field that the service sent, with dots between the levels (`labels.rack`). A name may itself have dots.
 */
export function valueReader(path: string): (connector: Selectable) => Json | Date | undefined {
  const field = connectorFields.find((candidate) => candidate === path);
  const sent = ({raw}: Selectable) => memberAt(raw, path);
  if (field === undefined) return sent;
  const known = readers[field];
  return (connector) => {
    const value = known(connector);
    return value === undefined ? sent(connector) : value;
  };
}

/** Some fields of a connector, in the words of the service; without those that it does not have. */
export function selectFields(connector: Selectable, fields: readonly string[]): JsonObject {
  const {raw = {}} = connector;
  const members = fields.flatMap((field): [string, Json][] => {
    const value = Object.hasOwn(raw, field) ? raw[field] : valueReader(field)(connector);
    if (value === undefined) return [];
    return [[field, value instanceof Date ? value.toISOString() : value]];
  });
  return Object.fromEntries(members);
}

function memberAt(value: Json | undefined, path: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return Reflect.get(value, path);
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const outer = path.slice(0, dot);
    if (!Object.hasOwn(value, outer)) continue;
    const found = memberAt(Reflect.get(value, outer), path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

interface SortKey {
  /** A path for `valueReader`. */
  readonly field: string;
  readonly descending: boolean;
}

/** The sort keys of the fields that every list may have: a field, or `-` and a field for descending order. */
export const sortKeys: readonly string[] = connectorFields.flatMap((name) => [name, `-${name}`]);

/** Reads a sort key such as `name`, `-last_heartbeat_at` or `labels.rack`. */
export function parseSortKey(text: string): SortKey {
  const descending = text.startsWith('-');
  return {field: descending ? text.slice(1) : text, descending};
}

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

/**
 * Filters and sorts the connectors of any service.
 *
 * Sorting is stable. Text is compared by UTF-16 code units, so capitals come first, and numbers before
 * text. Connectors without the field come last in both directions.
 *
 * @param now the service's clock in milliseconds since the Unix epoch
 * @returns also whether `limit` left out any
 */
export function selectConnectors<T extends Selectable>(
  connectors: readonly T[],
  selection: Selection,
  now: number,
): {readonly selected: readonly T[]; readonly isCut: boolean} {
  const {sort, limit = Number.POSITIVE_INFINITY} = selection;
  const wanted = connectors.filter(predicate(selection, now));
  const ordered = sort === undefined ? wanted : inOrder(wanted, sort);
  return {selected: ordered.slice(0, limit), isCut: ordered.length > limit};
}

function predicate(
  {status, name, olderThan}: Selection,
  now: number,
): (connector: Selectable) => boolean {
  const words = status && new Set(status.map((word) => word.toLowerCase()));
  const globs = name?.map(compileGlob);
  const isRightAge = ({lastHeartbeatAt: at}: Selectable) => {
    const age = at ? now - at.getTime() : Number.NaN;
    return age > (olderThan ?? Number.NEGATIVE_INFINITY);
  };
  const tests = [
    words && (({status}: Selectable) => status !== undefined && words.has(status.toLowerCase())),
    globs &&
      (({name: own}: Selectable) => own !== undefined && globs.some((matches) => matches(own))),
    olderThan === undefined ? undefined : isRightAge,
  ].filter((test) => test !== undefined);
  return (connector) => tests.every((test) => test(connector));
}

function inOrder<T extends Selectable>(
  connectors: readonly T[],
  {field, descending}: SortKey,
): readonly T[] {
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

/** An id of the reference service. Not in `ids.ts`, which would load a library for every `connector get`. */
export const referenceId = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;
