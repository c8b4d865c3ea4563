import type {Connector} from '../contract/index.js';
import {type Batched, batched, batchesOf} from './batches.js';
import {compileGlob} from './glob.js';

/** The fields of a connector that selecting and sorting use. Undefined: the service did not send it. */
export interface Selectable {
  readonly id: string;
  readonly name: string | undefined;
  readonly status: string | undefined;
  readonly organization: string | undefined;
  readonly activatedAt: Date | undefined;
  readonly lastHeartbeatAt: Date | null | undefined;
}

type FieldValue = string | Date | null | undefined;

const readers: Record<keyof Connector, (connector: Selectable) => FieldValue> = {
  id: (connector) => connector.id,
  name: (connector) => connector.name,
  status: (connector) => connector.status,
  organization: (connector) => connector.organization,
  activated_at: (connector) => connector.activatedAt,
  last_heartbeat_at: (connector) => connector.lastHeartbeatAt,
};

/** The sortable fields of a connector, in the order of the columns of CSV. */
export const connectorFields = [
  'id',
  'name',
  'status',
  'organization',
  'activated_at',
  'last_heartbeat_at',
] as const satisfies readonly (keyof Connector)[];

/** One of `connectorFields`. */
export type ConnectorField = (typeof connectorFields)[number];

/** A connector's field by its name in the interface; null or undefined when it is missing. */
export function fieldValue(connector: Selectable, field: ConnectorField): FieldValue {
  return readers[field](connector);
}

export interface SortKey {
  readonly field: ConnectorField;
  readonly descending: boolean;
}

/** Every sort key as typed: a field, or `-` and a field for descending order. */
export const sortKeys: readonly string[] = connectorFields.flatMap((name) => [name, `-${name}`]);

/** Reads a sort key such as `name` or `-last_heartbeat_at`; undefined when it names no field. */
export function parseSortKey(text: string): SortKey | undefined {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const field = connectorFields.find((candidate) => candidate === name);
  return field === undefined ? undefined : {field, descending};
}

/** Filters, order and limit of a list of connectors. Missing members do not restrict it. */
export interface Selection {
  /** A status of the service, compared case-insensitively. */
  readonly status?: string | undefined;
  /** A glob for the whole name; see `compileGlob`. A connector without a name never matches. */
  readonly name?: string | undefined;
  readonly sort?: SortKey | undefined;
  /** Maximum number of connectors, 1 or more. */
  readonly limit?: number | undefined;
}

/**
 * Filters and sorts the connectors of any service. Without `sort` it streams, and ends the source when
 * `limit` is reached. With `sort` it reads the whole source, and holds at most twice `limit`
 * connectors.
 *
 * Sorting is stable. Text is compared by UTF-16 code units, so capitals come first. Connectors without
 * the field come last in both directions.
 *
 * @param onCut called when `limit` leaves something out. Without `sort` that means that the source has
 *   at least one more connector, which may not match.
 */
export function selectConnectors<T extends Selectable>(
  source: AsyncIterable<T>,
  selection: Selection,
  onCut: () => void = () => {},
): Batched<T> {
  return batched(selectedBatches(source, selection, onCut));
}

async function* selectedBatches<T extends Selectable>(
  source: AsyncIterable<T>,
  selection: Selection,
  onCut: () => void,
): AsyncGenerator<readonly T[], void, undefined> {
  const {sort, limit = Number.POSITIVE_INFINITY} = selection;
  const wanted = predicate(selection);
  if (sort !== undefined) {
    yield await sorted(source, wanted, sort, limit, onCut);
    return;
  }
  let left = limit;
  for await (const batch of batchesOf(source)) {
    const selected: T[] = [];
    for (const connector of batch) {
      if (selected.length === left) {
        onCut();
        yield selected;
        return;
      }
      if (wanted(connector)) selected.push(connector);
    }
    left -= selected.length;
    yield selected;
  }
}

function predicate({status, name}: Selection): (connector: Selectable) => boolean {
  const word = status?.toLowerCase();
  const nameMatches = name === undefined ? undefined : compileGlob(name);
  return (connector) =>
    (word === undefined || connector.status?.toLowerCase() === word) &&
    (nameMatches === undefined || (connector.name !== undefined && nameMatches(connector.name)));
}

/** The first `limit` connectors in order. Drops connectors beyond them early, to bound memory. */
async function sorted<T extends Selectable>(
  source: AsyncIterable<T>,
  wanted: (connector: T) => boolean,
  key: SortKey,
  limit: number,
  onCut: () => void,
): Promise<readonly T[]> {
  const compare = comparator(key);
  const kept: T[] = [];
  let cut = false;
  const trim = () => {
    kept.sort(compare);
    if (kept.length <= limit) return;
    kept.length = limit;
    cut = true;
  };
  for await (const batch of batchesOf(source)) {
    for (const connector of batch) {
      if (!wanted(connector)) continue;
      kept.push(connector);
      if (kept.length >= limit * 2) trim();
    }
  }
  trim();
  if (cut) onCut();
  return kept;
}

/** Numbers compare faster than times. */
function comparable(value: FieldValue): string | number | undefined {
  return value instanceof Date ? value.getTime() : (value ?? undefined);
}

function comparator({field, descending}: SortKey): (a: Selectable, b: Selectable) => number {
  const sign = descending ? -1 : 1;
  const read = readers[field];
  return (a, b) => {
    const left = comparable(read(a));
    const right = comparable(read(b));
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    if (left < right) return -sign;
    return left > right ? sign : 0;
  };
}
