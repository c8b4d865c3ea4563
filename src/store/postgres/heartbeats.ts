import {setImmediate} from 'node:timers/promises';
import {type ConnectorScope, mayRecord} from '../../domain/connector-keys.js';
import type {ConnectorRecord} from '../../domain/records.js';
import {type Sender, type Senders, sentBy} from '../../domain/senders.js';
import {type HeartbeatRecord, StoreError} from '../store.js';
import type {Database, Run} from './database.js';
import {statements} from './tables.js';

/** Maximum number of heartbeats in a transaction. */
const size = 1000;
/** Maximum number of waiting heartbeats. */
const capacity = 20_000;

interface Heartbeat {
  readonly id: string;
  readonly at: number;
  readonly scope: ConnectorScope;
  readonly sender: Sender | undefined;
}

interface Waiting extends Heartbeat {
  /** Milliseconds on the monotonic clock. */
  readonly since: number;
  readonly resolve: (record: HeartbeatRecord | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines heartbeats into transactions. Those that arrive while one is under way wait for the next, which includes up
 * to `size` of them: usually all, so that a heartbeat waits no longer than one transaction takes.
 */
export class HeartbeatBatcher {
  readonly #database: Database;
  readonly #waiting: Waiting[] = [];
  #isWorking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** See `Store.recordHeartbeat`. */
  record(beat: Heartbeat): Promise<HeartbeatRecord | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= capacity) return reject(busy());
      this.#waiting.push({...beat, since: performance.now(), resolve, reject});
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      // Read pending requests from the sockets first, so that they join the batch.
      await setImmediate();
      await this.#runBatch(this.#waiting.splice(0, size));
    }
    this.#isWorking = false;
  }

  async #runBatch(taken: readonly Waiting[]): Promise<void> {
    const earliest = performance.now() - this.#database.times.retryPeriod;
    const batch = taken.filter(({since, reject}) => since >= earliest || reject(busy()));
    try {
      const records = await this.#database.transaction((run) => recordHeartbeats(run, batch));
      for (const beat of batch) beat.resolve(records.get(beat));
    } catch (error) {
      for (const {reject} of batch) reject(error);
    }
  }
}

/** @returns the record after each heartbeat that its scope may record */
async function recordHeartbeats(
  run: Run,
  batch: readonly Heartbeat[],
): Promise<ReadonlyMap<Heartbeat, HeartbeatRecord | undefined>> {
  const ids = [...new Set(batch.map(({id}) => id))];
  const rows = await run<ConnectorRecord>(statements.findConnectors, [ids]);
  const found = new Map(rows.map((connector) => [connector.id, connector]));
  const allowed = batch.filter(({id, scope}) => {
    const connector = found.get(id);
    return connector !== undefined && mayRecord(connector, scope);
  });
  const latest = new Map<string, number>();
  for (const {id, at} of allowed) latest.set(id, Math.max(at, latest.get(id) ?? at));
  // All processes use the same order, which makes deadlocks rare.
  const beats = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
  const values = [beats.map(([id]) => id), beats.map(([, at]) => at)];
  const written = await run<HeartbeatRecord>(statements.recordHeartbeats, values);
  await recordSenders(run, found, allowed);
  const records = new Map(written.map((record) => [record.id, record]));
  return new Map(allowed.map((beat) => [beat, records.get(beat.id)]));
}

/** Most heartbeats come from the process that sent the last one, and change nothing. */
async function recordSenders(
  run: Run,
  found: ReadonlyMap<string, ConnectorRecord>,
  batch: readonly Heartbeat[],
): Promise<void> {
  const changed = new Map<string, Senders>();
  for (const {id, at, sender} of batch) {
    const before = changed.get(id) ?? found.get(id)?.senders ?? null;
    if (sender === undefined || sender.id === before?.last) continue;
    changed.set(id, sentBy(before, sender, at, found.get(id)?.lastHeartbeatAt ?? null));
  }
  if (changed.size === 0) return;
  await run(statements.recordSenders, [[...changed.keys()], [...changed.values()]]);
}

function busy(): StoreError {
  return new StoreError('unavailable', 'Earlier heartbeats keep the database busy for too long.');
}
