import type {Connector} from '../contract/index.js';
import {compileGlob} from './glob.js';

/** What selecting and sorting look at: a connector as far as its service tells. */
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

/** The fields of a connector that people sort by and that CSV holds, in the order of its columns. */
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

/** A connector's field by its name in the interface; null or undefined where it has none. */
export function fieldValue(connector: Selectable, field: ConnectorField): FieldValue {
  return readers[field](connector);
}

/** What to sort by. */
export interface SortKey {
  readonly field: ConnectorField;
  readonly descending: boolean;
}

/** Every sort key as people write it: a field, or `-` and a field for descending. */
export const sortKeys: readonly string[] = connectorFields.flatMap((name) => [name, `-${name}`]);

/** Reads a sort key such as `name` or `-last_heartbeat_at`; undefined when it names no field. */
export function parseSortKey(text: string): SortKey | undefined {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const field = connectorFields.find((candidate) => candidate === name);
  return field === undefined ? undefined : {field, descending};
}

/** Which connectors of a list are wanted, and in what order. What is left out does not restrict. */
export interface Selection {
  /** The service's own word, compared without regard to case. */
  readonly status?: string | undefined;
  /** A glob that the whole name must match, case included; see `compileGlob`. No name never matches. */
  readonly name?: string | undefined;
  readonly sort?: SortKey | undefined;
  /** How many connectors at most, 1 or more. */
  readonly limit?: number | undefined;
}

/**
 * Chooses and orders connectors, whatever service they come from. Without `sort` it streams, and
 * ends the source once `limit` is reached; with `sort` it reads the source to its end, and holds at
 * most twice `limit` connectors where there is a limit.
 *
 * Sorting is stable. Text compares by UTF-16 code units, so capitals come first; a connector
 * without the field comes last in both directions.
 *
 * @param onCut called when `limit` left something out. Without `sort` one more connector was then
 *   there to read; whether that one or any after it would match was not looked at.
 */
export async function* selectConnectors<T extends Selectable>(
  source: AsyncIterable<T>,
  selection: Selection,
  onCut: () => void = () => {},
): AsyncGenerator<T, void, undefined> {
  const {sort, limit = Number.POSITIVE_INFINITY} = selection;
  const wanted = predicate(selection);
  if (sort !== undefined) {
    yield* await sorted(source, wanted, sort, limit, onCut);
    return;
  }
  let count = 0;
  for await (const connector of source) {
    if (count === limit) {
      onCut();
      return;
    }
    if (!wanted(connector)) continue;
    count++;
    yield connector;
  }
}

function predicate({status, name}: Selection): (connector: Selectable) => boolean {
  const word = status?.toLowerCase();
  const nameMatches = name === undefined ? undefined : compileGlob(name);
  return (connector) =>
    (word === undefined || connector.status?.toLowerCase() === word) &&
    (nameMatches === undefined || (connector.name !== undefined && nameMatches(connector.name)));
}

/** The first `limit` in order. What is certainly beyond them is let go of early, to bound memory. */
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
  for await (const connector of source) {
    if (!wanted(connector)) continue;
    kept.push(connector);
    if (kept.length >= limit * 2) trim();
  }
  trim();
  if (cut) onCut();
  return kept;
}

function comparator({field, descending}: SortKey): (a: Selectable, b: Selectable) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const left = fieldValue(a, field) ?? undefined;
    const right = fieldValue(b, field) ?? undefined;
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    if (left < right) return -sign;
    return left > right ? sign : 0;
  };
}
