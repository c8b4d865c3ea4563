import type {ConnectorReading} from '../../client/types.js';
import {escapeControl} from '../escape.js';
import {type Palette, styleStatus} from '../palette.js';
import {exactTime} from '../time.js';

/** The fields whose changes are reported. Heartbeats would drown everything else. */
const watched = ['name', 'organization', 'status'] as const;

/** What is remembered of a connector between two readings of the list. */
export type WatchedConnector = Pick<ConnectorReading, 'id' | (typeof watched)[number]>;

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

interface Entry {
  current: WatchedConnector;
  /** The connector in the current reading; the same object if nothing is different. */
  next: WatchedConnector | undefined;
}

/**
 * Finds what changes from one reading of the list to the next. It keeps only the watched fields of each
 * connector, once, since a list can be long.
 */
export class ConnectorChanges {
  readonly #entries = new Map<string, Entry>();

  /** Takes the next connector of a reading. Returns a change when the connector is new. */
  read(connector: ConnectorReading): ConnectorChange | undefined {
    const {id, name, organization, status} = connector;
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      const current = {id, name, organization, status};
      this.#entries.set(id, {current, next: current});
      return {kind: 'added', connector};
    }
    // A list that changes while its pages are read may contain a connector twice: the later one counts.
    const isSame = watched.every((field) => entry.current[field] === connector[field]);
    entry.next = isSame ? entry.current : {id, name, organization, status};
    return undefined;
  }

  /** Ends a complete reading. Yields what is gone and what is different. */
  *complete(): Generator<ConnectorChange, void, void> {
    for (const [id, entry] of this.#entries) {
      const {current, next} = entry;
      if (next === undefined) {
        this.#entries.delete(id);
        yield {kind: 'removed', connector: current};
        continue;
      }
      entry.current = next;
      entry.next = undefined;
      for (const field of watched) {
        if (current[field] === next[field]) continue;
        yield {kind: 'changed', connector: next, field, from: current[field], to: next[field]};
      }
    }
  }
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
