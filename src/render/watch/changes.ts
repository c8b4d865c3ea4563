import type {ConnectorReading} from '../../client/types.js';
import {escapeControl} from '../escape.js';
import {type Palette, styleStatus} from '../palette.js';
import {exactTime} from '../time.js';

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
      readonly lastHeartbeatAt: Date | null | undefined;
      readonly field: (typeof watched)[number];
      readonly from: string | undefined;
      readonly to: string | undefined;
    };

/** Finds what changes from one reading of the list to the next. */
export class ConnectorChanges {
  /**
   * The watched fields by id, as `textOf` writes them: of the last complete reading, and of the new connectors
   * of this one.
   */
  readonly #known = new Map<string, string>();
  /** The ids in this reading. */
  readonly #read = new Set<string>();
  /** The connectors that are different in this reading. */
  readonly #different = new Map<
    string,
    {readonly text: string; readonly lastHeartbeatAt: Date | null | undefined}
  >();

  /** Takes the next connector of a reading. Returns a change when the connector is new. */
  read(connector: ConnectorReading): ConnectorChange | undefined {
    const {id} = connector;
    const text = textOf(connector);
    const known = this.#known.get(id);
    this.#read.add(id);
    if (known === undefined) {
      this.#known.set(id, text);
      return {kind: 'added', connector};
    }
    // A list that changes while its pages are read may contain a connector twice: the later one counts.
    if (known === text) this.#different.delete(id);
    else this.#different.set(id, {text, lastHeartbeatAt: connector.lastHeartbeatAt});
    return undefined;
  }

  /** Ends a complete reading. Yields the removed and the changed connectors. */
  *complete(): Generator<ConnectorChange, void, void> {
    for (const [id, known] of this.#known) {
      if (!this.#read.has(id)) {
        this.#known.delete(id);
        yield {kind: 'removed', connector: fromText(id, known)};
        continue;
      }
      const different = this.#different.get(id);
      if (different === undefined) continue;
      const {text, lastHeartbeatAt} = different;
      const previous = fromText(id, known);
      const connector = fromText(id, text);
      this.#known.set(id, text);
      for (const field of watched) {
        const from = previous[field];
        const to = connector[field];
        if (from !== to) yield {kind: 'changed', connector, lastHeartbeatAt, field, from, to};
      }
    }
    this.#read.clear();
    this.#different.clear();
  }
}

/** The watched fields as one text, which takes less memory than an object: `["web-1","acme","online"]`. */
function textOf({name, organization, status}: WatchedConnector): string {
  return JSON.stringify([name, organization, status]);
}

function fromText(id: string, text: string): WatchedConnector {
  const [name, organization, status]: (string | null)[] = JSON.parse(text);
  return {
    id,
    name: name ?? undefined,
    organization: organization ?? undefined,
    status: status ?? undefined,
  };
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
