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
      readonly id: string;
      readonly field: (typeof watched)[number];
      readonly from: string | undefined;
      readonly to: string | undefined;
    };

interface Entry {
  current: WatchedConnector;
  /** The connector in the current reading. */
  next: WatchedConnector | undefined;
}

/**
 * Finds what changes from one reading of the list to the next. It keeps only the watched fields of each
 * connector, since a list can be long.
 */
export class ConnectorChanges {
  readonly #entries = new Map<string, Entry>();

  /** Takes the next connector of a reading. Returns a change when the connector is new. */
  read(connector: ConnectorReading): ConnectorChange | undefined {
    const {id, name, organization, status} = connector;
    const next = {id, name, organization, status};
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      this.#entries.set(id, {current: next, next});
      return {kind: 'added', connector};
    }
    // A list that changes while its pages are read may contain a connector twice: the later one counts.
    entry.next = next;
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
        yield {kind: 'changed', id, field, from: current[field], to: next[field]};
      }
    }
  }
}

/**
 * A change as one line, without line feed: the time, then `+ id status name`, `- id status name` or
 * `~ id status online → offline`.
 */
export function renderChange(change: ConnectorChange, at: Date, palette: Palette): string {
  return `${exactTime(at)} ${describeChange(change, palette)}`;
}

function describeChange(change: ConnectorChange, palette: Palette): string {
  const status = (value: string | undefined) =>
    styleStatus(palette, value, escapeControl(value ?? '-'));
  if (change.kind === 'changed') {
    const [from, to] = [change.from, change.to].map((value) =>
      change.field === 'status' ? status(value) : escapeControl(value ?? '-'),
    );
    return `~ ${escapeControl(change.id)} ${change.field} ${from} → ${to}`;
  }
  const {id, name, status: word} = change.connector;
  const sign = change.kind === 'added' ? '+' : '-';
  return [sign, escapeControl(id), status(word), ...(name ? [escapeControl(name)] : [])].join(' ');
}
