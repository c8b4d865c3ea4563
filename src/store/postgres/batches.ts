import type {ConnectorScope} from '../../domain/connector-keys.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import type {HeartbeatRecord} from '../store.js';
import type {AcknowledgedState} from './acknowledged.js';
import {Batcher, type Route} from './batcher.js';
import type {CitusCluster} from './citus/cluster.js';
import type {Database} from './connection/database.js';
import type {Statement} from './connection/run.js';
import {
  type ConnectorRow,
  findConnectors,
  findOneConnector,
  type HeartbeatRow,
  recordHeartbeats,
  recordOneHeartbeat,
  type ScopeColumn,
  statements,
} from './statements.js';

/** Maximum number of items in a statement, and of waiting items. */
const sizes = {size: 1000, capacity: 20_000} as const;

/** A connector and the scope of the request for it. */
interface Wanted {
  readonly id: string;
  /** An organization, or the hash of an API key. */
  readonly scope: string;
}

interface WantedHeartbeat extends Wanted {
  readonly at: number;
}

/** Routing on Citus: a batch holds the connectors of one shard. */
type RouteOf = ((wanted: Pick<Wanted, 'id'>) => Route) | undefined;

/** The most frequent operations; concurrent calls share a statement. */
export function makeBatchers(
  database: Database,
  cluster: CitusCluster | undefined,
  acknowledged: AcknowledgedState,
) {
  const placement = cluster === undefined ? 'server' : 'shard';
  const route: RouteOf = cluster && (({id}) => cluster.route('connectors', id));
  const apiKeys = makeKeyFinder(database);
  const finders = forBothScopes((column) =>
    makeFinder(
      database,
      {one: findOneConnector(column), many: findConnectors(column, placement)},
      route,
    ),
  );
  const recorders = forBothScopes((column) =>
    makeRecorder(
      database,
      {one: recordOneHeartbeat(column), many: recordHeartbeats(column, placement)},
      route,
      acknowledged,
    ),
  );
  return {
    findApiKey: (hash: string) => apiKeys.call(hash, null),
    findConnector: (id: string, scope: ConnectorScope) => {
      const [column, value] = readScope(scope);
      return callFor(finders[column], {id, scope: value});
    },
    recordHeartbeat: (id: string, at: number, scope: ConnectorScope) => {
      const [column, value] = readScope(scope);
      return callFor(recorders[column], {id, scope: value, at});
    },
  };
}

function forBothScopes<T>(make: (column: ScopeColumn) => T): Readonly<Record<ScopeColumn, T>> {
  return {organization: make('organization'), key_hash: make('key_hash')};
}

function readScope(scope: ConnectorScope): readonly [column: ScopeColumn, value: string] {
  return 'organization' in scope
    ? ['organization', scope.organization]
    : ['key_hash', scope.keyHash];
}

/** The scope is part of the key: a caller without access must not affect other callers of the same connector. */
const keyOf = (id: string, scope: string): string => `${id}\n${scope}`;

async function callFor<Item extends Wanted, Result>(
  batcher: Batcher<Item, Result>,
  item: Item,
): Promise<Result | undefined> {
  // No id contains NUL. PostgreSQL would reject the statement, and with it all other items.
  if (item.id.includes('\0')) return undefined;
  return batcher.call(keyOf(item.id, item.scope), item);
}

function makeKeyFinder(database: Database): Batcher<null, ApiKeyRecord> {
  return new Batcher({
    ...sizes,
    patience: database.patience,
    merge: () => null,
    run: async (items) => {
      const values = [[...items.keys()]];
      const rows = await database.query<ApiKeyRecord>(statements.findApiKeys, values);
      return new Map(rows.map((row) => [row.hash, row]));
    },
  });
}

/** A statement for a batch of one item, and one for larger batches, with an array for each value. */
interface BatchStatements {
  readonly one: Statement;
  readonly many: Statement;
}

/** The statement for a batch, and its parameters. */
function forBatch(
  {one, many}: BatchStatements,
  rows: readonly (readonly unknown[])[],
): readonly [Statement, readonly unknown[]] {
  const [first = []] = rows;
  if (rows.length === 1) return [one, first];
  return [many, first.map((_, column) => rows.map((row) => row[column]))];
}

function makeFinder(
  database: Database,
  both: BatchStatements,
  route: RouteOf,
): Batcher<Wanted, ConnectorRecord> {
  return new Batcher<Wanted, ConnectorRecord>({
    ...sizes,
    patience: database.patience,
    route,
    merge: (_, later) => later,
    run: async (items) => {
      const wanted = [...items.values()];
      const values = wanted.map(({id, scope}) => [id, scope]);
      const rows = await database.query<ConnectorRow>(...forBatch(both, values));
      const found = new Map<string, ConnectorRecord>();
      for (const {number, ...connector} of rows) {
        const item = wanted[number - 1];
        if (item !== undefined) found.set(keyOf(item.id, item.scope), connector);
      }
      return found;
    },
  });
}

function makeRecorder(
  database: Database,
  both: BatchStatements,
  route: RouteOf,
  acknowledged: AcknowledgedState,
): Batcher<WantedHeartbeat, HeartbeatRecord> {
  return new Batcher<WantedHeartbeat, HeartbeatRecord>({
    ...sizes,
    patience: database.patience,
    route,
    merge: (earlier, later) => (later.at > earlier.at ? later : earlier),
    run: async (items) => {
      // All processes use the same order, which makes deadlocks rare.
      const heartbeats = [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      const records = new Map<string, HeartbeatRecord>();
      for (const round of splitById(heartbeats)) {
        const values = round.map(({id, scope, at}) => [id, scope, at]);
        const rows = await database.change<HeartbeatRow>(...forBatch(both, values));
        for (const {number, ...times} of rows) {
          const heartbeat = round[number - 1];
          if (heartbeat === undefined) continue;
          const {id, scope} = heartbeat;
          records.set(keyOf(id, scope), {id, ...times});
        }
      }
      const [latest] = records.values();
      if (latest !== undefined) acknowledged.heartbeat(route?.(latest).group ?? 0, latest);
      return records;
    },
  });
}

/** Splits sorted items so that no statement has an id twice, for instance with two keys: it would change the row once. */
function splitById<Item extends Wanted>(sorted: readonly Item[]): readonly (readonly Item[])[] {
  const rest = sorted.filter(({id}, index) => id === sorted[index - 1]?.id);
  if (rest.length === 0) return [sorted];
  return [sorted.filter(({id}, index) => id !== sorted[index - 1]?.id), ...splitById(rest)];
}
