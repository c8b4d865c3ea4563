import type {ConnectorReading} from '../client/types.js';
import {escapeControl} from './escape.js';
import {type Palette, paintStatus} from './palette.js';

/** The fields whose change is told. Heartbeats are not: they would drown everything else. */
const watched = ['name', 'organization', 'status'] as const;

/** One difference between two readings of the list. */
export type ConnectorChange =
  | {readonly kind: 'added' | 'removed'; readonly connector: ConnectorReading}
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly field: (typeof watched)[number];
      readonly from: string | undefined;
      readonly to: string | undefined;
    };

/** What became of the connectors between two readings of the list: first what is gone, then the rest in the list's order. */
export function diffConnectors(
  previous: readonly ConnectorReading[],
  current: readonly ConnectorReading[],
): readonly ConnectorChange[] {
  const before = byId(previous);
  const now = byId(current);
  const gone = [...before.values()]
    .filter(({id}) => !now.has(id))
    .map((connector) => ({kind: 'removed' as const, connector}));
  return [
    ...gone,
    ...[...now.values()].flatMap((connector) => changesOf(before.get(connector.id), connector)),
  ];
}

/** A list that moves while it is read page by page may hold a connector twice: the later reading counts. */
function byId(connectors: readonly ConnectorReading[]): ReadonlyMap<string, ConnectorReading> {
  return new Map(connectors.map((connector) => [connector.id, connector]));
}

function changesOf(
  before: ConnectorReading | undefined,
  connector: ConnectorReading,
): readonly ConnectorChange[] {
  if (before === undefined) return [{kind: 'added', connector}];
  return watched
    .filter((field) => before[field] !== connector[field])
    .map((field) => ({
      kind: 'changed',
      id: connector.id,
      field,
      from: before[field],
      to: connector[field],
    }));
}

/** A change as one line, without line feed: `+ id name`, `- id` or `~ id status online → offline`. */
export function renderChange(change: ConnectorChange, palette: Palette): string {
  if (change.kind === 'changed') {
    const [from, to] = [change.from, change.to].map((value) =>
      paintStatus(
        palette,
        change.field === 'status' ? value : undefined,
        escapeControl(value ?? '-'),
      ),
    );
    return `~ ${escapeControl(change.id)} ${change.field} ${from} → ${to}`;
  }
  const {id, name = ''} = change.connector;
  if (change.kind === 'removed') return `- ${escapeControl(id)}`;
  return `+ ${escapeControl(`${id} ${name}`.trimEnd())}`;
}
