import {setTimeout as delay} from 'node:timers/promises';
import {type ConnectorScope, tokenRetention} from '../../domain/activation.js';
import {repeat} from '../../domain/backoff.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, Changes, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Sender} from '../../domain/senders.js';
import {minute} from '../../domain/time.js';
import {
  type Bounds,
  type Decide,
  type HeartbeatRecord,
  type ListRange,
  Store,
  StoreError,
  type StoreLog,
  type StoreMeasure,
  type StoreOptions,
  type Transaction,
} from '../store.js';
import {Batcher} from './batcher.js';
import {OrganizationBounds} from './bounds.js';
import {
  Database,
  defaultTimeLimits,
  type Run,
  type Statement,
  type TimeLimits,
} from './database.js';
import {type Heartbeat, recordHeartbeats} from './heartbeats.js';
import {parseLocation} from './location.js';
import {openSchema, schemaVersion} from './schema.js';
import {apiKeys, connectors, statements, type Table, tokens} from './tables.js';

/** Maximum number of connectors per query of a list: each unfinished list holds as many in memory. */
const page = 250;

/** Milliseconds between two deletions of old tokens. */
const forgetInterval = 10 * minute;
/** Milliseconds between two attempts to reach a database at start. */
const openInterval = 500;

const nothing = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};
const none = {tokens: 0, connectors: 0};

/** Whether a text can be an id: no id is empty or contains NUL, which PostgreSQL rejects. */
const isPossible = (id: string): boolean => id !== '' && !id.includes('\0');

/** A transaction whose reads lock the records that they find until it ends. */
function transactionOf(run: Run, bounds: OrganizationBounds | undefined): Transaction {
  const lock = async <Row extends object>(statement: Statement, key: string) =>
    (await run<Row>(statement, [key])).at(0);
  return {
    apiKey: (id) => lock<ApiKeyRecord>(statements.lockApiKey, id),
    async hasApiKeys() {
      await run(statements.lockStore);
      return (await run(statements.findAnyApiKey)).length > 0;
    },
    token: (hash) => lock<TokenRecord>(statements.lockToken, hash),
    connector: (id) =>
      isPossible(id) ? lock<ConnectorRecord>(statements.lockConnector, id) : undefined,
    async connectors(ids) {
      // One statement for each id, because Citus cannot lock rows of several shards; sorted, to prevent deadlocks.
      const ordered = [...new Set(ids.filter(isPossible))].sort();
      const found = ordered.map((id) => lock<ConnectorRecord>(statements.lockConnector, id));
      return (await Promise.all(found)).filter((record) => record !== undefined);
    },
    hasRoom: (organization, kind) => bounds?.hasRoom(run, organization, kind) ?? true,
  };
}

/** Sends the writes; each record replaces the one with its key. The transaction waits for them before it ends. */
export function writeChanges(run: Run, changes: Changes): readonly Promise<unknown>[] {
  const write = <Row extends object>(table: Table<Row>, rows: readonly Row[] = []) =>
    rows.length > 0 ? [run(table.write, table.values(rows))] : [];
  const {removed = []} = changes;
  return [
    ...write(apiKeys, changes.apiKeys),
    ...write(tokens, changes.tokens),
    ...write(connectors, changes.connectors),
    ...(removed.length > 0 ? [run(statements.removeConnectors, [removed])] : []),
  ];
}

/** A store in a database. Any number of processes may have it open; the database holds all its state. */
class PostgresStore extends Store {
  readonly serverSecret: Uint8Array;
  readonly version = schemaVersion;
  readonly bounds: Bounds | undefined;
  readonly #database: Database;
  readonly #now: () => number;
  readonly #heartbeats: Batcher<Heartbeat, HeartbeatRecord | undefined>;
  readonly #apiKeys: Batcher<string, ApiKeyRecord | undefined>;
  readonly #connectors: Batcher<string, ConnectorRecord | undefined>;
  readonly #bounds: OrganizationBounds | undefined;
  #check: Promise<unknown> | undefined;
  /** Aborted when the store is closed. */
  readonly #closing = new AbortController();

  constructor(database: Database, serverSecret: Uint8Array, {now, log, bounds}: StoreOptions) {
    super();
    this.#database = database;
    this.#now = now;
    this.serverSecret = serverSecret;
    this.bounds = bounds;
    this.#bounds = bounds && new OrganizationBounds(bounds, now);
    const {times} = database;
    this.#heartbeats = new Batcher(times, (beats) => recordHeartbeats(database, beats));
    const lookup = <Row extends object>(table: Table<Row>, field: keyof Row & string) =>
      new Batcher<string, Row | undefined>(times, async (values) => {
        const found = await table.find(database, values, field);
        return (value) => found.get(value);
      });
    this.#apiKeys = lookup(apiKeys, 'hash');
    this.#connectors = lookup(connectors, 'id');
    void this.#forgetTokens(log);
  }

  protected transact<Answer>(decide: Decide<Answer>): Promise<Answer> {
    return this.#database.transaction(async (run) => {
      const {answer, write} = await decide(transactionOf(run, this.#bounds));
      writeChanges(run, write);
      return answer;
    });
  }

  #read<Row extends object>(statement: Statement, values?: readonly unknown[]) {
    return this.run(() => this.#database.query<Row>(statement, values));
  }

  findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.run(() => this.#apiKeys.add(hash));
  }

  listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#read<ApiKeyRecord>(statements.listApiKeys);
  }

  listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.#read<ConnectorRecord>(statements.listRevokedConnectors);
  }

  findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    return this.run(async () => {
      const found = ids.filter(isPossible).map((id) => this.#connectors.add(id));
      return (await Promise.all(found)).filter((record) => record !== undefined);
    });
  }

  async *listConnectors(
    organization: string,
    {after = '', limit = Number.POSITIVE_INFINITY}: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    // An id comes after a cursor with a NUL if and only if it comes after the part before the NUL.
    let last = after.split('\0', 1)[0] ?? '';
    for (let left = limit; left > 0; left -= page) {
      const values = [organization, last, Math.min(page, left)];
      const rows = await this.#read<ConnectorRecord>(statements.listConnectors, values);
      if (rows.length > 0) yield rows;
      if (rows.length < page) return;
      last = rows.at(-1)?.id ?? last;
    }
  }

  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
    sender?: Sender,
  ): Promise<HeartbeatRecord | undefined> {
    // PostgreSQL would reject the whole batch because of such an id.
    if (!isPossible(id)) return Promise.resolve(undefined);
    return this.run(() => this.#heartbeats.add({id, at, scope, sender}));
  }

  measure({onlineSince, staleSince}: StatusBounds): Promise<StoreMeasure> {
    const unusedSince = this.#now() - tokenRetention;
    return this.run(() =>
      this.#database.longTransaction(async (run) => {
        const times = [onlineSince, staleSince];
        const [connectors = nothing] = await run<typeof nothing>(statements.measure, times);
        const [size] = await run<{bytes: number}>(statements.size);
        const [largest = none] = await run<Bounds>(statements.measureLargest, [unusedSince]);
        return {connectors, bytes: size?.bytes ?? null, largest};
      }),
    );
  }

  /** Writes, because reads still work while writes are not acknowledged (a primary that waits for a dead standby). */
  check(): Promise<void> {
    const {times} = this.#database;
    return this.run(async () => {
      this.#check ??= this.#database
        .change(statements.check, [this.#now()], times.check)
        .finally(() => {
          this.#check = undefined;
        });
      await this.#check;
    });
  }

  protected async release(): Promise<void> {
    this.#closing.abort();
    // Does not wait for the deletion of old tokens: a pool that ends never answers a request for a connection.
    await this.#database.close();
  }

  /** Until the store is closed, deletes expired tokens after their retention. Several processes may do so at once. */
  async #forgetTokens(log: StoreLog): Promise<void> {
    const {signal} = this.#closing;
    while (!signal.aborted) {
      const before = this.#now() - tokenRetention;
      await this.#database
        .longTransaction((run) => run(statements.forgetTokens, [before]))
        .catch((err: unknown) => {
          if (!signal.aborted) log.warn({err}, 'cannot delete old tokens; retrying later');
        });
      await delay(forgetInterval, undefined, {signal, ref: false}).catch(() => {});
    }
  }
}

/**
 * Opens the store in a PostgreSQL database, and creates missing tables unless `create` is false.
 *
 * @param url see `location.ts`
 * @param timeLimits replaced by tests
 * @throws StoreError when it cannot be opened
 */
export async function openPostgresStore(
  url: string,
  options: StoreOptions,
  timeLimits: Partial<TimeLimits> = {},
): Promise<PostgresStore> {
  const times = {...defaultTimeLimits, ...timeLimits};
  const database = new Database(parseLocation(url), {...options, times});
  try {
    return new PostgresStore(database, await openWhenAvailable(database, options), options);
  } catch (error) {
    await database.close(options.waitUntil?.aborted ? 0 : undefined);
    throw error;
  }
}

/** With `waitUntil`, retries while the database is unavailable. An abort also ends the attempt in progress. */
async function openWhenAvailable(
  database: Database,
  {create = true, log, waitUntil}: StoreOptions,
): Promise<Uint8Array> {
  let logged = '';
  const aborted = new Promise<never>((_, reject) => {
    const message = `The database at ${database.name} has not responded.`;
    const end = () => reject(new StoreError('unavailable', logged || message));
    waitUntil?.addEventListener('abort', end, {once: true});
  });
  return repeat(() => Promise.race([openSchema(database, create), aborted]), {
    backoff: {first: openInterval, longest: openInterval, jitter: [1, 1]},
    random: () => 0,
    wait: (pause) => delay(pause, undefined, {signal: waitUntil}).catch(() => {}),
    mayRepeat: (error) => {
      const mayPass = error instanceof StoreError && error.kind === 'unavailable';
      if (!mayPass || waitUntil === undefined || waitUntil.aborted) return false;
      if (error.message === logged) return true;
      log.warn({database: database.name, reason: error.message}, 'waiting for the database');
      logged = error.message;
      return true;
    },
  });
}
