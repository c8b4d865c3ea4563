import type {ConnectorReading} from '../../client/types.js';
import {escapeControl} from '../escape.js';
import {type Palette, styleStatus} from '../palette.js';
import {exactTime} from '../time.js';
import {TextTable} from './text-table.js';

/** The fields whose changes are reported; times of heartbeats change too often. */
const watched = ['name', 'organization', 'status'] as const;

/** What is remembered of a connector between two readings of the list. */
type WatchedConnector = Pick<ConnectorReading, 'id' | (typeof watched)[number]>;

/** One difference between two readings of the list. */
export type ConnectorChange =
  | {readonly kind: 'added'; readonly connector: ConnectorReading}
  | {readonly kind: 'removed'; readonly connector: WatchedConnector}
  | {
      readonly kind: 'changed';
      /** As it is now. */
      readonly connector: WatchedConnector;
      readonly field: (typeof watched)[number];
      readonly from: string | undefined;
      readonly to: string | undefined;
    };

/**
 * Finds what changes from one reading of the list to the next. It remembers the watched fields of each
 * connector, packed, since a list can be long.
 */
export class ConnectorChanges {
  /** The connectors of the last complete reading, and the new ones of this one, as `textOf` writes them. */
  readonly #known = new TextTable();
  /** By row, whether this reading has the connector. */
  #isRead = new Uint8Array(1024);
  /** By row, the connectors that are different in this reading. */
  readonly #different = new Map<number, string>();

  /** Takes the next connector of a reading. Returns a change when the connector is new. */
  read(connector: ConnectorReading): ConnectorChange | undefined {
    const {key, text} = textOf(connector);
    const found = this.#known.find(key);
    const row = found ?? this.#known.add(key, text);
    if (row >= this.#isRead.length) this.#isRead = doubled(this.#isRead);
    this.#isRead[row] = 1;
    if (found === undefined) return {kind: 'added', connector};
    // A list that changes while its pages are read may contain a connector twice: the later one counts.
    if (this.#known.get(row) === text) this.#different.delete(row);
    else this.#different.set(row, text);
    return undefined;
  }

  /** Ends a complete reading. Yields the removed and the changed connectors. */
  *complete(): Generator<ConnectorChange, void, void> {
    let isGone = false;
    for (let row = 0; row < this.#known.size; row += 1) {
      if (this.#isRead[row] === 0) {
        isGone = true;
        yield {kind: 'removed', connector: fromText(this.#known.get(row))};
        continue;
      }
      const text = this.#different.get(row);
      if (text === undefined) continue;
      const previous = fromText(this.#known.get(row));
      const connector = fromText(text);
      this.#known.replace(row, text);
      for (const field of watched) {
        const from = previous[field];
        const to = connector[field];
        if (from !== to) yield {kind: 'changed', connector, field, from, to};
      }
    }
    if (isGone) this.#known.retain((row) => this.#isRead[row] === 1);
    this.#isRead.fill(0);
    this.#different.clear();
  }
}

/** The watched fields as one text, `["con_1","web-1","acme","online"]`, which begins with the key `["con_1",`. */
function textOf({id, name, organization, status}: WatchedConnector): {key: string; text: string} {
  const key = `[${JSON.stringify(id)},`;
  return {key, text: key + JSON.stringify([name, organization, status]).slice(1)};
}

function fromText(text: string): WatchedConnector {
  const [id, name, organization, status]: [string, ...(string | null)[]] = JSON.parse(text);
  return {
    id,
    name: name ?? undefined,
    organization: organization ?? undefined,
    status: status ?? undefined,
  };
}

function doubled(flags: Uint8Array): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(flags.length * 2);
  more.set(flags);
  return more;
}

/**
 * A change as one line, without line feed: the time, `+`, `-` or `~`, then id, status and name, and what is
 * different: `~ con_1 offline web-1 (status: online → offline)`.
 */
export function renderChange(change: ConnectorChange, at: Date, palette: Palette): string {
  return `${exactTime(at)} ${describeChange(change, palette)}`;
}

const signs = {added: '+', removed: '-', changed: '~'} as const;

function describeChange(change: ConnectorChange, palette: Palette): string {
  const shown = (field: (typeof watched)[number], value = '-') =>
    field === 'status' ? styleStatus(palette, value, escapeControl(value)) : escapeControl(value);
  const {id, name, status} = change.connector;
  const words = [signs[change.kind], escapeControl(id), shown('status', status)];
  if (name) words.push(shown('name', name));
  if (change.kind !== 'changed') return words.join(' ');
  const {field, from, to} = change;
  return `${words.join(' ')} (${field}: ${shown(field, from)} → ${shown(field, to)})`;
}
