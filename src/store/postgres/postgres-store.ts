import pg from 'pg';
import {decideRedemption, type RedemptionAttempt} from '../../domain/activation.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {
  type ConnectorScope,
  type ListRange,
  type RedemptionResult,
  type Store,
  StoreError,
  type StoreMeasure,
} from '../store.js';
import type {Batcher} from './batcher.js';
import {type ConnectorBatchers, makeBatchers} from './batches.js';
import type {ClockWatch} from './clock-watch.js';
import type {Database} from './database.js';
import type {Housekeeping} from './housekeeping.js';
import type {StoreInfo} from './schema.js';
import {apiKeyValues, type RedemptionRow, readRedemption, statements} from './statements.js';

/** Connectors in one batch of a list. */
const listBatch = 1000;

const nothing = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};

/** What a PostgreSQL store is made of. */
export interface PostgresStoreParts {
  readonly database: Database;
  readonly housekeeping: Housekeeping;
  readonly info: StoreInfo;
  readonly clock: ClockWatch;
  readonly now: () => number;
  /** Milliseconds within which a check must be answered. */
  readonly checkTimeout: number;
}

/** The store in a database. Any number of processes may have it open; none keeps anything to itself. */
export class PostgresStore implements Store {
  readonly serverSecret: Uint8Array;
  readonly version: number;
  readonly #database: Database;
  readonly #housekeeping: Housekeeping;
  readonly #clock: ClockWatch;
  readonly #now: () => number;
  readonly #checkTimeout: number;
  readonly #apiKeys: Batcher<null, ApiKeyRecord>;
  readonly #connectors: ConnectorBatchers;
  readonly #inFlight = new Set<Promise<unknown>>();
  #check: Promise<void> | undefined;
  #isClosed = false;

  constructor({database, housekeeping, info, clock, now, checkTimeout}: PostgresStoreParts) {
    this.serverSecret = info.serverSecret;
    this.version = info.version;
    this.#database = database;
    this.#housekeeping = housekeeping;
    this.#clock = clock;
    this.#now = now;
    this.#checkTimeout = checkTimeout;
    ({apiKeys: this.#apiKeys, connectors: this.#connectors} = makeBatchers(database));
  }

  async createApiKey(record: ApiKeyRecord): Promise<void> {
    await this.#run(() => this.#database.change(statements.createApiKey, apiKeyValues(record)));
  }

  createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#run(async () => {
      const made = await this.#database.change(statements.createFirstApiKey, apiKeyValues(record));
      if (made.length > 0) return true;
      // It is there when the connection was lost before the database could say so.
      const found = await this.#database.query(statements.findApiKeyById, [record.id]);
      return found.length > 0;
    });
  }

  findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#run(() => this.#apiKeys.call(hash, null));
  }

  listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#run(() => this.#database.query<ApiKeyRecord>(statements.listApiKeys));
  }

  async revokeApiKey(
    id: string,
    at: number,
    reason: string | null = null,
  ): Promise<ApiKeyRecord | undefined> {
    const values = [id, at, reason];
    const [record] = await this.#run(() =>
      this.#database.change<ApiKeyRecord>(statements.revokeApiKey, values),
    );
    return record;
  }

  async revokeConnector(
    id: string,
    at: number,
    reason: string | null = null,
  ): Promise<ConnectorRecord | undefined> {
    const values = [id, at, reason];
    const [record] = await this.#run(() =>
      this.#database.change<ConnectorRecord>(statements.revokeConnector, values),
    );
    return record;
  }

  listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.#run(() => this.#database.query<ConnectorRecord>(statements.listRevokedConnectors));
  }

  async recordKeyUse(id: string, at: number): Promise<void> {
    await this.#run(() => this.#database.change(statements.recordKeyUse, [id, at]));
  }

  async createToken(record: TokenRecord): Promise<void> {
    const {hash, organization, description, createdAt, expiresAt, redemption} = record;
    const used = [redemption?.at, redemption?.connectorId, redemption?.idempotencyHash];
    const values = [hash, organization, description, createdAt, expiresAt, ...used];
    await this.#run(() => this.#database.change(statements.createToken, values));
  }

  redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    return this.#run(() => this.#redeem(attempt));
  }

  async #redeem(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    const {tokenHash, idempotencyHash, at, connector: draft} = attempt;
    const {id, name, keyHash, activatedAt, lastHeartbeatAt} = draft;
    const values = [
      tokenHash,
      at,
      idempotencyHash,
      id,
      name,
      keyHash,
      activatedAt,
      lastHeartbeatAt,
    ];
    for (;;) {
      const [made] = await this.#database.change<ConnectorRecord>(statements.redeemToken, values);
      if (made !== undefined) return {outcome: 'redeemed', connector: made};
      const result = await this.#explainRefusal(attempt);
      if (result !== undefined) return result;
    }
  }

  /** Why the token was not redeemed; undefined when by now nothing speaks against it. */
  async #explainRefusal(attempt: RedemptionAttempt): Promise<RedemptionResult | undefined> {
    const values = [attempt.tokenHash];
    const [row] = await this.#database.query<RedemptionRow>(statements.findRedemption, values);
    const [token, connector] = row === undefined ? [] : readRedemption(row);
    // This very attempt did it, and the connection was lost before the database could say so.
    if (connector?.id === attempt.connector.id) return {outcome: 'redeemed', connector};
    const decision = decideRedemption(token, connector?.name, attempt);
    if (decision === 'redeem') return undefined;
    if (decision !== 'repeat') return {outcome: decision};
    return connector === undefined ? {outcome: 'used'} : {outcome: 'repeated', connector};
  }

  findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    return this.#run(() => this.#connectors.find(id, scope));
  }

  async *listConnectors(
    organization: string,
    {after = '', limit = Number.POSITIVE_INFINITY}: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    let left = limit;
    // No id has a NUL, which PostgreSQL cannot take: what sorts behind its first part sorts behind it.
    let last = after.split('\0', 1)[0] ?? '';
    while (left > 0) {
      const wanted = Math.min(listBatch, left);
      const values = [organization, last, wanted];
      const batch = await this.#run(() =>
        this.#database.query<ConnectorRecord>(statements.listConnectors, values),
      );
      if (batch.length > 0) yield batch;
      if (batch.length < wanted) return;
      left -= batch.length;
      last = batch.at(-1)?.id ?? last;
    }
  }

  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<ConnectorRecord | undefined> {
    return this.#run(() => this.#connectors.recordHeartbeat(id, at, scope));
  }

  async measure({onlineSince, staleSince}: StatusBounds): Promise<StoreMeasure> {
    const bounds = [onlineSince, staleSince];
    const [connectors = nothing] = await this.#run(() =>
      this.#database.transaction((run) =>
        run<StoreMeasure['connectors']>(statements.measure, bounds),
      ),
    );
    const bytes = await this.#run(() => measureBytes(this.#database));
    return {connectors, bytes};
  }

  /** A write, for where none is acknowledged (a primary that waits for a dead standby) reads still may be. */
  check(): Promise<void> {
    return this.#run(() => {
      this.#check ??= this.#tryToWrite().finally(() => {
        this.#check = undefined;
      });
      return this.#check;
    });
  }

  async #tryToWrite(): Promise<void> {
    const limits = {patience: this.#checkTimeout, response: this.#checkTimeout};
    await this.#clock.look(() => this.#database.change(statements.check, [this.#now()], limits));
  }

  async close(): Promise<void> {
    if (this.#isClosed) throw closed();
    this.#isClosed = true;
    await this.#housekeeping.stop();
    await Promise.allSettled(this.#inFlight);
    await this.#database.close();
  }

  /** Begins an operation, unless the store is closed; closing waits for it. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    const running = operation();
    this.#inFlight.add(running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(running);
    }
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}

/** What an engine says that knows no sizes: undefined_function, feature_not_supported. */
const unknownHere = ['42883', '0A000'];

/**
 * What the tables of the store and their indexes take, in bytes; null where the database cannot tell,
 * as not every engine that speaks PostgreSQL's protocol can.
 *
 * @throws StoreError when the database does not serve it
 */
export async function measureBytes(database: Pick<Database, 'query'>): Promise<number | null> {
  try {
    const [row] = await database.query<{bytes: number | null}>(statements.size);
    return row?.bytes ?? null;
  } catch (error) {
    if (error instanceof pg.DatabaseError && unknownHere.includes(error.code ?? '')) return null;
    throw error;
  }
}
