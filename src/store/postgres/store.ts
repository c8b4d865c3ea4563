import {setTimeout as delay} from 'node:timers/promises';
import {
  boundId,
  createToken,
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  redeemToken,
  reissueToken,
  tokenRetentionDays,
  unusedTokenRetention,
} from '../../domain/activation.js';
import type {Decision} from '../../domain/changes.js';
import {
  type ConnectorScope,
  createFirstApiKey,
  maySee,
  recordKeyUse,
  revokeApiKey,
  revokeConnector,
} from '../../domain/connector-keys.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {removeConnectors} from '../../domain/removal.js';
import {day, minute} from '../../domain/time.js';
import {
  type Bounds,
  type HeartbeatRecord,
  type ListRange,
  type Store,
  StoreError,
  type StoreLog,
  type StoreMeasure,
} from '../store.js';
import {type Allowance, OrganizationBounds} from './bounds.js';
import type {Database, Run} from './database.js';
import {HeartbeatBatcher} from './heartbeats.js';
import type {StoreInfo} from './schema.js';
import {statements} from './statements.js';
import {isPossible, PostgresTransaction} from './transaction.js';

/** Maximum number of connectors that are read at a time. */
const page = 1000;

/** Milliseconds between two deletions of old tokens. */
const forgetInterval = 10 * minute;

const nothing = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};
const none = {tokens: 0, connectors: 0};

/** The parts of a PostgreSQL store. */
interface PostgresStoreParts {
  readonly database: Database;
  readonly info: StoreInfo;
  readonly now: () => number;
  readonly log: StoreLog;
  readonly bounds: Bounds | undefined;
}

/** A store in a database. Any number of processes may have it open; the database holds all its state. */
export class PostgresStore implements Store {
  readonly serverSecret: Uint8Array;
  readonly version: number;
  readonly bounds: Bounds | undefined;
  readonly #parts: PostgresStoreParts;
  readonly #database: Database;
  readonly #heartbeats: HeartbeatBatcher;
  readonly #bounds: OrganizationBounds | undefined;
  readonly #inFlight = new Set<Promise<unknown>>();
  #check: Promise<unknown> | undefined;
  readonly #housekeeping: Promise<void>;
  /** Aborted when the store is closed. */
  readonly #closing = new AbortController();

  constructor(parts: PostgresStoreParts) {
    const {database, info, now, log, bounds} = parts;
    this.#parts = parts;
    this.#database = database;
    this.serverSecret = info.serverSecret;
    this.version = info.version;
    this.bounds = bounds;
    this.#bounds = bounds && new OrganizationBounds(bounds, now);
    this.#heartbeats = new HeartbeatBatcher(database);
    this.#housekeeping = this.#forgetTokens(log);
  }

  createApiKey(record: ApiKeyRecord): Promise<void> {
    return this.#write(async () => ({answer: undefined, write: {apiKeys: [record]}}));
  }

  createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#write(async (tx) => {
      // It is there when this runs again after its commit.
      const hasOther = (await tx.hasApiKeys()) && (await tx.apiKey(record.id)) === undefined;
      return createFirstApiKey(record, hasOther);
    });
  }

  findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#run(async () => {
      const [found] = await this.#database.query<ApiKeyRecord>(statements.findApiKey, [hash]);
      return found;
    });
  }

  listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#run(() => this.#database.query<ApiKeyRecord>(statements.listApiKeys));
  }

  revokeApiKey(id: string, at: number, reason: string | null): Promise<ApiKeyRecord | undefined> {
    return this.#write(async (tx) => revokeApiKey(await tx.apiKey(id), at, reason));
  }

  revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    return this.#write(async (tx) => revokeConnector(await tx.connector(id), at, reason));
  }

  listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.#run(() => this.#database.query<ConnectorRecord>(statements.listRevokedConnectors));
  }

  recordKeyUse(id: string, at: number): Promise<void> {
    return this.#write(async (tx) => recordKeyUse(await tx.apiKey(id), at));
  }

  createToken(record: TokenRecord): Promise<boolean> {
    return this.#write(async (tx) =>
      createToken(record, await tx.hasRoom(record.organization, 'tokens')),
    );
  }

  redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    return this.#write(async (tx) => {
      const token = await tx.token(attempt.tokenHash);
      const bound = token && (await tx.connector(boundId(token)));
      const isOpen = token?.redemption === null && token.reissues === null;
      const hasRoom = isOpen && (await tx.hasRoom(token.organization, 'connectors'));
      return redeemToken(token, bound, attempt, hasRoom);
    });
  }

  reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    return this.#write(async (tx) =>
      reissueToken(await tx.connector(reissue.connectorId), reissue),
    );
  }

  findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    const values = [ids.filter(isPossible)];
    return this.#run(() => this.#database.query(statements.findConnectors, values));
  }

  removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    /** Removed by an earlier run whose commit had no answer. */
    const earlier = new Map<string, ConnectorRecord>();
    return this.#write(async (tx) => {
      const found = await tx.connectors(ids);
      for (const {id} of found) earlier.delete(id);
      const {answer, write} = removeConnectors(found, lastHeartbeatBefore);
      for (const connector of answer) earlier.set(connector.id, connector);
      return {answer: [...earlier.values()], write};
    });
  }

  findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    return this.#run(async () => {
      if (!isPossible(id)) return undefined;
      const [found] = await this.#database.query<ConnectorRecord>(statements.findConnector, [id]);
      return found && maySee(found, scope) ? found : undefined;
    });
  }

  async *listConnectors(
    organization: string,
    {after = '', limit = Number.POSITIVE_INFINITY}: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    // PostgreSQL rejects NUL, and no id contains it. An id comes after the cursor exactly if it comes
    // after the part before the NUL.
    let last = after.split('\0', 1)[0] ?? '';
    for (let left = limit; left > 0; left -= page) {
      const values = [organization, last, Math.min(page, left)];
      const rows = await this.#run(() =>
        this.#database.query<ConnectorRecord>(statements.listConnectors, values),
      );
      if (rows.length > 0) yield rows;
      if (rows.length < page) return;
      last = rows.at(-1)?.id ?? last;
    }
  }

  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<HeartbeatRecord | undefined> {
    // It would make the whole batch fail.
    if (!isPossible(id)) return Promise.resolve(undefined);
    return this.#run(() => this.#heartbeats.record(id, at, scope));
  }

  measure({onlineSince, staleSince}: StatusBounds): Promise<StoreMeasure> {
    const unusedSince = this.#parts.now() - unusedTokenRetention;
    return this.#run(() =>
      this.#database.longTransaction(async (run) => {
        const one = async <Row extends object>(...query: Parameters<Run>) =>
          (await run<Row>(...query)).at(0);
        const times = [onlineSince, staleSince];
        return {
          connectors: (await one<typeof nothing>(statements.measure, times)) ?? nothing,
          bytes: (await one<{bytes: number}>(statements.size))?.bytes ?? null,
          largest: (await one<Bounds>(statements.measureLargest, [unusedSince])) ?? none,
        };
      }),
    );
  }

  /** Makes a write, because reads still work when no write is acknowledged (a primary that waits for a dead standby). */
  check(): Promise<readonly string[]> {
    const write = (run: Run) => run(statements.check, [this.#parts.now()]);
    return this.#run(async () => {
      this.#check ??= this.#database.transaction(write, this.#database.times.check).finally(() => {
        this.#check = undefined;
      });
      await this.#check;
      return [];
    });
  }

  async close(): Promise<void> {
    this.#refuseIfClosed();
    this.#closing.abort();
    await Promise.allSettled([this.#housekeeping, ...this.#inFlight]);
    await this.#database.close();
  }

  /** Deletes tokens that expired long ago until the store is closed. Any process may do it. */
  async #forgetTokens(log: StoreLog): Promise<void> {
    const {signal} = this.#closing;
    while (!signal.aborted) {
      const now = this.#parts.now();
      const times = [now - tokenRetentionDays * day, now - unusedTokenRetention];
      await this.#database
        .longTransaction((run) => run(statements.forgetTokens, times))
        .catch((err: unknown) => log.warn({err}, 'cannot delete old tokens; retrying later'));
      await delay(forgetInterval, undefined, {signal, ref: false}).catch(() => {});
    }
  }

  /** Writes what a rule of the domain decides on records that it reads in the same transaction. */
  #write<Answer>(decide: (tx: PostgresTransaction) => Promise<Decision<Answer>>): Promise<Answer> {
    return this.#run(async () => {
      const reserved: Allowance[] = [];
      try {
        return await this.#database.transaction(async (run) => {
          const tx = new PostgresTransaction(run, this.#bounds, reserved);
          const {answer, write} = await decide(tx);
          await tx.write(write);
          return answer;
        });
      } finally {
        for (const allowance of reserved) allowance.pending -= 1;
      }
    });
  }

  /** Starts an operation unless the store is closed; `close` waits for it. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    this.#refuseIfClosed();
    const running = operation();
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  #refuseIfClosed(): void {
    if (this.#closing.signal.aborted) throw new StoreError('closed', 'The store is closed.');
  }
}
