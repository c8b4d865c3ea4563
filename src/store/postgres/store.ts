import {randomBytes} from 'node:crypto';
import {
  decideRedemption,
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  unusedTokenRetention,
} from '../../domain/activation.js';
import {type ConnectorScope, firstKey} from '../../domain/connector-keys.js';
import type {StatusBounds} from '../../domain/liveness.js';
import {
  type ApiKeyRecord,
  type ConnectorRecord,
  newConnectorDefaults,
  type TokenRecord,
} from '../../domain/records.js';
import {
  type Bounds,
  type HeartbeatRecord,
  type ListRange,
  type Store,
  StoreError,
  type StoreMeasure,
} from '../store.js';
import type {AcknowledgedState} from './acknowledged.js';
import {makeBatchers} from './batches.js';
import {OrganizationBounds} from './bounds.js';
import type {CitusCluster} from './citus/cluster.js';
import type {ClockSkewMonitor} from './clock-skew-monitor.js';
import type {Database, StatementLimits} from './connection/database.js';
import type {Housekeeping} from './housekeeping.js';
import {isPossible, issueReissue, redeemForKey, removeConnectors} from './lifecycle.js';
import {readPages, readShardedPages} from './pages.js';
import {apiKeyRows, connectorRows} from './rows.js';
import type {StoreInfo} from './schema.js';
import {measureBytes} from './size.js';
import {insertConnectors, statements} from './statements.js';
import {DistributedTokens, LocalTokens, type Tokens} from './tokens.js';

/** Bytes of a row that needs new pages, also beside rows that were removed. */
const growth = 32 * 1024;

const nothing = {never: 0, online: 0, stale: 0, offline: 0, revoked: 0};

/** The parts of a PostgreSQL store. */
interface PostgresStoreParts {
  readonly database: Database;
  /** The servers over which its tables are distributed; undefined on a single server. */
  readonly cluster: CitusCluster | undefined;
  readonly acknowledged: AcknowledgedState;
  readonly housekeeping: Housekeeping;
  readonly info: StoreInfo;
  readonly clock: ClockSkewMonitor;
  readonly now: () => number;
  readonly bounds: Bounds | undefined;
  /** Milliseconds for each step of a readiness check. */
  readonly checkTimeout: number;
}

/** A store in a database. Any number of processes may have it open; the database holds all its state. */
export class PostgresStore implements Store {
  readonly serverSecret: Uint8Array;
  readonly version: number;
  readonly bounds: Bounds | undefined;
  readonly #parts: PostgresStoreParts;
  readonly #database: Database;
  readonly #acknowledged: AcknowledgedState;
  readonly #tokens: Tokens;
  readonly #batched: ReturnType<typeof makeBatchers>;
  readonly #bounds: OrganizationBounds | undefined;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Redemptions in progress that may create a connector of any organization. */
  #redeeming = 0;
  #check: Promise<readonly string[]> | undefined;
  /** Whether an operation failed for lack of disk space since the last readiness check that found some. */
  #wasFull = false;
  #isClosed = false;

  constructor(parts: PostgresStoreParts) {
    const {database, cluster, acknowledged, info, now, bounds} = parts;
    this.#parts = parts;
    this.#database = database;
    this.#acknowledged = acknowledged;
    this.serverSecret = info.serverSecret;
    this.version = info.version;
    this.#tokens =
      cluster === undefined ? new LocalTokens(database) : new DistributedTokens(database, cluster);
    this.#batched = makeBatchers(database, cluster, acknowledged);
    this.bounds = bounds;
    this.#bounds = bounds && new OrganizationBounds(database, now, bounds);
  }

  async createApiKey(record: ApiKeyRecord): Promise<void> {
    await this.#run(() =>
      this.#database.change(statements.createApiKey, apiKeyRows.values(record)),
    );
  }

  createFirstApiKey(record: ApiKeyRecord): Promise<boolean> {
    return this.#run(async () => {
      const isMade = await this.#database.changeTogether(async (run) => {
        // Only one process can write the claim; the others find it taken.
        if ((await run(statements.claimFirstApiKey, [record.id])).length === 0) return false;
        if ((await run(statements.findAnyApiKey)).length > 0) return false;
        await run(statements.createApiKey, apiKeyRows.values(record));
        return true;
      });
      if (isMade) return true;
      // It exists if this call created it and the connection was lost before the response.
      const found = await this.#database.change(statements.confirmApiKey, [record.id]);
      return found.length > 0;
    });
  }

  findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#run(() => this.#batched.findApiKey(hash));
  }

  listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return this.#run(() => this.#database.query<ApiKeyRecord>(statements.listApiKeys));
  }

  async revokeApiKey(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ApiKeyRecord | undefined> {
    const values = [id, at, reason];
    const [record] = await this.#run(() =>
      this.#database.change<ApiKeyRecord>(statements.revokeApiKey, values),
    );
    if (record !== undefined) this.#acknowledged.revocation('key', id, record.hash);
    return record;
  }

  async revokeConnector(
    id: string,
    at: number,
    reason: string | null,
  ): Promise<ConnectorRecord | undefined> {
    const values = [id, at, reason];
    const [record] = await this.#run(() =>
      this.#database.change<ConnectorRecord>(statements.revokeConnector, values),
    );
    if (record !== undefined) this.#acknowledged.revocation('connector', id, record.keyHash);
    return record;
  }

  listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.#run(() => this.#database.query<ConnectorRecord>(statements.listRevokedConnectors));
  }

  async recordKeyUse(id: string, at: number): Promise<void> {
    await this.#run(() => this.#database.change(statements.recordKeyUse, [id, at]));
  }

  async createToken(record: TokenRecord): Promise<boolean> {
    const isMade = await this.#run(() =>
      this.#within(record.organization, 'tokens', async () => {
        await this.#tokens.create(record);
        return true;
      }),
    );
    if (isMade === undefined) return false;
    this.#acknowledged.token(record);
    return true;
  }

  /** See `OrganizationBounds.within`. */
  #within<T>(organization: string, kind: keyof Bounds, work: () => Promise<T>) {
    return this.#bounds === undefined ? work() : this.#bounds.within(organization, kind, work);
  }

  async redeemToken(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    const result = await this.#run(() => this.#redeem(attempt));
    if ('connector' in result) this.#acknowledged.activation(attempt, result.connector);
    return result;
  }

  async #redeem(attempt: RedemptionAttempt): Promise<RedemptionResult> {
    let made = await this.#redeemIfOpen(attempt);
    for (;;) {
      if (made !== undefined) return {outcome: 'redeemed', connector: made};
      const result = await this.#explainRefusal(attempt);
      if ('outcome' in result) return result;
      const {organization, reissues} = result;
      if (reissues !== null) return redeemForKey(this.#database, reissues, attempt);
      // Null: another attempt was faster.
      const reserved = await this.#within(
        organization,
        'connectors',
        async () => (await this.#tokens.redeem(attempt, [organization])) ?? null,
      );
      if (reserved === undefined) return {outcome: 'full'};
      made = reserved ?? undefined;
    }
  }

  /** Redeems a token of an organization that certainly has room, without reading the token first. */
  async #redeemIfOpen(attempt: RedemptionAttempt): Promise<ConnectorRecord | undefined> {
    const open = this.#bounds?.open(this.#redeeming) ?? null;
    // Nobody has room yet.
    if (open?.length === 0) return undefined;
    this.#redeeming += 1;
    try {
      const made = await this.#tokens.redeem(attempt, open);
      if (made !== undefined) this.#bounds?.created(made.organization);
      return made;
    } finally {
      this.#redeeming -= 1;
    }
  }

  /** Explains why the token was not redeemed; the token when it can be redeemed. */
  async #explainRefusal(attempt: RedemptionAttempt): Promise<RedemptionResult | TokenRecord> {
    const [token, connector] = await this.#tokens.find(attempt);
    // This attempt redeemed it, and the connection was lost before the response.
    if (connector?.keyHash === attempt.connector.keyHash) {
      return {outcome: 'redeemed', connector: await this.#confirm(attempt, connector)};
    }
    const decision = decideRedemption(token, connector, attempt);
    if (decision === 'redeem' || decision === 'reissue') return token ?? {outcome: 'unknown'};
    if (decision !== 'repeat') return {outcome: decision};
    if (connector === undefined) return {outcome: 'used'};
    return {outcome: 'repeated', connector: await this.#confirm(attempt, connector)};
  }

  /** Waits until a redemption that was only read is as durable as one that was just made. On Citus two servers hold it. */
  async #confirm(
    {tokenHash}: RedemptionAttempt,
    connector: ConnectorRecord,
  ): Promise<ConnectorRecord> {
    await Promise.all([
      this.#database.change(statements.confirmToken, [tokenHash]),
      this.#database.change(statements.confirmConnector, [connector.id]),
    ]);
    return connector;
  }

  reissueToken(reissue: Reissue): Promise<ConnectorRecord | undefined> {
    return this.#run(() => issueReissue(this.#database, reissue));
  }

  findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    const values = [ids.filter(isPossible)];
    return this.#run(() => this.#database.query(statements.findConnectorsById, values));
  }

  removeConnectors(
    ids: readonly string[],
    lastHeartbeatBefore: number | null,
  ): Promise<readonly ConnectorRecord[]> {
    return this.#run(() => removeConnectors(this.#database, ids, lastHeartbeatBefore));
  }

  findConnector(id: string, scope: ConnectorScope): Promise<ConnectorRecord | undefined> {
    return this.#run(() => this.#batched.findConnector(id, scope));
  }

  async *listConnectors(
    organization: string,
    {after = '', limit = Number.POSITIVE_INFINITY}: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    // PostgreSQL rejects NUL, and no id contains it. An id comes after the cursor exactly if it comes
    // after the part before the NUL.
    const begin = after.split('\0', 1)[0] ?? '';
    const read = (last: string, upTo: string | undefined, wanted: number) =>
      this.#run(() => {
        const values = [organization, last, wanted];
        return upTo === undefined
          ? this.#database.query<ConnectorRecord>(statements.listConnectors, values)
          : this.#database.query<ConnectorRecord>(statements.listConnectorsUpTo, [...values, upTo]);
      });
    const keyOf = ({id}: ConnectorRecord): string => id;
    if (this.#parts.cluster === undefined) yield* readPages(read, keyOf, begin, limit);
    else yield* readShardedPages(read, keyOf, begin, limit);
  }

  recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
  ): Promise<HeartbeatRecord | undefined> {
    return this.#run(() => this.#batched.recordHeartbeat(id, at, scope));
  }

  async measure({onlineSince, staleSince}: StatusBounds): Promise<StoreMeasure> {
    const bounds = [onlineSince, staleSince];
    const [connectors = nothing] = await this.#run(() =>
      this.#database.transaction((run) =>
        run<StoreMeasure['connectors']>(statements.measure, bounds),
      ),
    );
    const counted = [this.#parts.now() - unusedTokenRetention];
    const [largest = {tokens: 0, connectors: 0}] = await this.#run(() =>
      this.#database.transaction((run) => run<Bounds>(statements.measureLargest, counted)),
    );
    const bytes = await this.#run(() =>
      measureBytes(this.#database, this.#parts.cluster !== undefined),
    );
    return {connectors, bytes, largest};
  }

  /** Makes a write, because reads still work when no write is acknowledged (a primary that waits for a dead standby). */
  check(): Promise<readonly string[]> {
    return this.#run(() => {
      this.#check ??= this.#tryToWrite().finally(() => {
        this.#check = undefined;
      });
      return this.#check;
    });
  }

  async #tryToWrite(): Promise<readonly string[]> {
    const {cluster, clock, now, checkTimeout} = this.#parts;
    const limits = {patience: checkTimeout, response: checkTimeout};
    if (cluster !== undefined) await this.#checkNodes(cluster, limits);
    await this.#database.change(statements.check, [now()], limits);
    await clock.check(() => this.#database.query(statements.readClock, [], limits));
    if (this.#wasFull) await this.#tryToGrow();
    return this.#acknowledged.warnings;
  }

  /** Inserts a row that needs new pages, and removes it: the write of a check fits into a page that is there. */
  async #tryToGrow(): Promise<void> {
    const name = randomBytes(growth).toString('base64');
    const more = {organization: '', name, keyHash: '', activatedAt: 0, ...newConnectorDefaults};
    for (const id of this.#parts.cluster?.probes() ?? ['probe']) {
      await this.#database.changeTogether(async (run) => {
        await run(insertConnectors(1), connectorRows.values({id, ...more, ...firstKey}));
        await run(statements.removeProbe, [id]);
      });
    }
    this.#wasFull = false;
  }

  /** The loss of a node does not close the connections to the others, so compare the acknowledged changes here. */
  async #checkNodes(cluster: CitusCluster, limits: StatementLimits): Promise<void> {
    try {
      await cluster.check(limits);
    } catch (error) {
      this.#acknowledged.isSuspect = true;
      throw error;
    }
    if (!this.#acknowledged.isSuspect) return;
    await this.#database.transaction((run) => this.#acknowledged.compare(run));
  }

  async close(): Promise<void> {
    if (this.#isClosed) throw closed();
    this.#isClosed = true;
    await this.#parts.housekeeping.stop();
    await Promise.allSettled(this.#inFlight);
    await this.#database.close();
  }

  /** Starts an operation unless the store is closed; `close` waits for it. */
  async #run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    const running = operation();
    this.#inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      this.#wasFull ||= error instanceof StoreError && error.kind === 'full';
      throw error;
    } finally {
      this.#inFlight.delete(running);
    }
  }
}

function closed(): StoreError {
  return new StoreError('closed', 'The store is closed.');
}
