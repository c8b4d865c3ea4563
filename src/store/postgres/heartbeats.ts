import {type ConnectorScope, validityOf} from '../../domain/activation.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {type Sender, type Senders, sentBy} from '../../domain/senders.js';
import type {HeartbeatRecord} from '../store.js';
import type {Database} from './database.js';
import {connectors, statements} from './tables.js';

export interface Heartbeat {
  readonly id: string;
  readonly at: number;
  readonly scope: ConnectorScope;
  readonly sender: Sender | undefined;
}

/**
 * Records heartbeats with two statements, each its own transaction: one that reads, and one that writes.
 *
 * @returns a function that returns the record after a heartbeat; undefined if its scope may not record it
 */
export async function recordHeartbeats(database: Database, batch: readonly Heartbeat[]) {
  const found = await connectors.find(
    database,
    batch.map(({id}) => id),
  );
  const allowed = new Set(
    batch.filter(({id, scope}) => {
      const connector = found.get(id);
      return connector !== undefined && validityOf(connector, scope) === 'valid';
    }),
  );
  const latest = new Map<string, number>();
  for (const {id, at} of allowed) latest.set(id, Math.max(at, latest.get(id) ?? at));
  const senders = changedSenders(found, allowed);
  // The statement locks the rows in this order, which prevents deadlocks because every process uses it.
  const ids = [...latest.keys()].sort();
  const times = ids.map((id) => latest.get(id));
  const values = [ids, times, ids.map((id) => senders.get(id) ?? null)];
  const written =
    ids.length === 0
      ? []
      : await database.change<HeartbeatRecord>(statements.recordHeartbeats, values);
  const records = new Map(written.map((record) => [record.id, record]));
  return (beat: Heartbeat) => (allowed.has(beat) ? records.get(beat.id) : undefined);
}

/** The new senders of connectors. Most heartbeats come from the last sender, and change nothing. */
function changedSenders(
  found: ReadonlyMap<string, ConnectorRecord>,
  batch: Iterable<Heartbeat>,
): ReadonlyMap<string, Senders> {
  const changed = new Map<string, Senders>();
  for (const {id, at, sender} of batch) {
    const before = changed.get(id) ?? found.get(id)?.senders ?? null;
    if (sender === undefined || sender.id === before?.last) continue;
    changed.set(id, sentBy(before, sender, at, found.get(id)?.lastHeartbeatAt ?? null));
  }
  return changed;
}
