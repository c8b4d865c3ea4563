import {boundId, decideRedemption, type RedemptionAttempt} from '../../domain/activation.js';
import {firstKey} from '../../domain/connector-keys.js';
import type {ConnectorRecord, TokenRecord} from '../../domain/records.js';
import {Batcher} from './batcher.js';
import type {CitusCluster} from './citus/cluster.js';
import type {Database} from './connection/database.js';
import type {Run} from './connection/run.js';
import {
  connectorRows,
  draftRows,
  type RedemptionRow,
  readRedemption,
  readToken,
  type TokenRow,
  tokenValues,
} from './rows.js';
import {insertConnectors, insertTokens, redeemTokens, statements} from './statements.js';

/** Stores tokens, and redeems them for connectors. */
export interface Tokens {
  create(token: TokenRecord): Promise<void>;

  /**
   * Marks the token as used and creates its connector, atomically; undefined when it cannot be redeemed now.
   *
   * @param organizations those that may have one more connector; null: any
   */
  redeem(
    attempt: RedemptionAttempt,
    organizations: readonly string[] | null,
  ): Promise<ConnectorRecord | undefined>;

  /** Finds the token of an attempt, and its connector (`boundId`) if that matters to the attempt. */
  find(
    attempt: RedemptionAttempt,
  ): Promise<readonly [token: TokenRecord | undefined, connector: ConnectorRecord | undefined]>;
}

/** Redeems with one statement, because both tables are on one server. */
export class LocalTokens implements Tokens {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(token: TokenRecord): Promise<void> {
    await this.#database.change(insertTokens(1), tokenValues(token));
  }

  async redeem(
    attempt: RedemptionAttempt,
    organizations: readonly string[] | null,
  ): Promise<ConnectorRecord | undefined> {
    const {tokenHash, idempotencyHash, at, connector: draft} = attempt;
    const [made] = await this.#database.change<Pick<ConnectorRecord, 'organization'>>(
      statements.redeemToken,
      [tokenHash, at, idempotencyHash, organizations, ...draftRows.values(draft)],
    );
    return made && {...draft, ...firstKey, organization: made.organization};
  }

  async find({tokenHash}: RedemptionAttempt): ReturnType<Tokens['find']> {
    const [row] = await this.#database.query<RedemptionRow>(statements.findRedemption, [tokenHash]);
    return row === undefined ? [undefined, undefined] : readRedemption(row);
  }
}

/** Maximum number of tokens or attempts in one transaction, and of waiting ones. */
const sizes = {size: 100, capacity: 20_000} as const;

/** An attempt, and the organizations that may have one more connector; null: any. */
type BoundedAttempt = RedemptionAttempt & {readonly organizations: readonly string[] | null};

/** The outcome of one attempt in a batch. */
interface Outcome {
  readonly made: Promise<ConnectorRecord | undefined>;
}

/**
 * Redeems in transactions, because a token and its connector may be on different workers. A transaction
 * combines simultaneous attempts for tokens of the same shard. So does a query for the reason of refusals: of
 * many attempts with one token, all but one need it.
 */
export class DistributedTokens implements Tokens {
  readonly #database: Database;
  readonly #created: Batcher<TokenRecord, null>;
  readonly #tokens: Batcher<string, TokenRow>;
  readonly #connectors: Batcher<string, ConnectorRecord>;
  readonly #attempts: Batcher<BoundedAttempt, Outcome>;

  constructor(database: Database, cluster: CitusCluster) {
    this.#database = database;
    this.#created = new Batcher<TokenRecord, null>({
      ...sizes,
      patience: database.patience,
      merge: (earlier) => earlier,
      route: ({hash}) => cluster.route('activation_tokens', hash),
      run: async (items) => {
        const tokens = [...items.values()];
        await database.change(insertTokens(tokens.length), tokens.flatMap(tokenValues));
        return new Map<string, null>();
      },
    });
    this.#tokens = new Batcher<string, TokenRow>({
      ...sizes,
      patience: database.patience,
      merge: (hash) => hash,
      route: (hash) => cluster.route('activation_tokens', hash),
      run: async (hashes) => {
        const rows = await database.query<TokenRow>(statements.findTokens, [[...hashes.keys()]]);
        return new Map(rows.map((row) => [row.hash, row]));
      },
    });
    this.#connectors = new Batcher<string, ConnectorRecord>({
      ...sizes,
      patience: database.patience,
      merge: (id) => id,
      route: (id) => cluster.route('connectors', id),
      run: async (ids) => {
        const values = [[...ids.keys()]];
        const rows = await database.query<ConnectorRecord>(statements.findConnectorsById, values);
        return new Map(rows.map((row) => [row.id, row]));
      },
    });
    this.#attempts = new Batcher<BoundedAttempt, Outcome>({
      ...sizes,
      patience: database.patience,
      merge: (earlier) => earlier,
      route: ({tokenHash}) => cluster.route('activation_tokens', tokenHash),
      run: (items) => this.#redeemAll([...items.values()]),
    });
  }

  async create(token: TokenRecord): Promise<void> {
    await this.#created.call(token.hash, token);
  }

  async redeem(
    attempt: RedemptionAttempt,
    organizations: readonly string[] | null,
  ): Promise<ConnectorRecord | undefined> {
    const bounded = {...attempt, organizations};
    return (await this.#attempts.call(attempt.connector.id, bounded))?.made;
  }

  async #redeemAll(attempts: readonly BoundedAttempt[]): Promise<ReadonlyMap<string, Outcome>> {
    const within = (some: readonly BoundedAttempt[]) => (run: Run) => redeemWithin(run, some);
    try {
      const made = await this.#database.changeTogether(within(attempts), {retries: false});
      return new Map(made.map((connector) => [connector.id, {made: Promise.resolve(connector)}]));
    } catch {
      // An attempt that needs a lost worker must not make the others fail.
      const alone = async (attempt: BoundedAttempt) =>
        (await this.#database.changeTogether(within([attempt]))).at(0);
      return new Map(attempts.map((attempt) => [attempt.connector.id, {made: alone(attempt)}]));
    }
  }

  async find(attempt: RedemptionAttempt): ReturnType<Tokens['find']> {
    const row = await this.#tokens.call(attempt.tokenHash, attempt.tokenHash);
    const token = row && readToken(row);
    const id = token && boundId(token);
    if (token === undefined || !id) return [token, undefined];
    // Waits until the redemption that replaces its key has ended.
    if (token.reissues !== null) {
      const [found] = await this.#database.change<ConnectorRecord>(statements.confirmConnector, [
        id,
      ]);
      return [token, found];
    }
    const {name} = attempt.connector;
    const draft = {...attempt.connector, organization: token.organization, ...firstKey};
    const same = {...draft, id, name, keyHash: attempt.keyHashOf(id)};
    const isWanted =
      id === attempt.connector.id || decideRedemption(token, same, attempt) === 'repeat';
    return [token, isWanted ? await this.#awaitConnector(id) : undefined];
  }

  /**
   * Workers commit one after the other, so a used token may be visible before its connector.
   *
   * @returns undefined when the connector was removed
   */
  async #awaitConnector(id: string): Promise<ConnectorRecord | undefined> {
    for (;;) {
      const found = await this.#connectors.call(id, id);
      if (found !== undefined) return found;
      const isFree = await this.#database.changeTogether(async (run) => {
        if ((await run(statements.claimId, [id])).length === 0) return false;
        await run(statements.removeProbe, [id]);
        return true;
      });
      if (isFree) return undefined;
    }
  }
}

/** Marks tokens of one shard as used and creates their connectors. @returns the connectors */
async function redeemWithin(
  run: Run,
  attempts: readonly BoundedAttempt[],
): Promise<readonly ConnectorRecord[]> {
  // All processes use the same order, which makes deadlocks rare.
  const sorted = [...attempts].sort((a, b) => (a.tokenHash < b.tokenHash ? -1 : 1));
  const used = await run<{attemptId: string; organization: string}>(redeemTokens, [
    sorted.map(({tokenHash}) => tokenHash),
    sorted.map(({connector}) => connector.id),
    sorted.map(({idempotencyHash}) => idempotencyHash),
    sorted.map(({at}) => at),
    sorted.some(({organizations}) => organizations === null)
      ? null
      : [...new Set(sorted.flatMap(({organizations}) => organizations ?? []))],
  ]);
  const organizations = new Map(used.map((row) => [row.attemptId, row.organization]));
  const made = sorted.flatMap(({connector}) => {
    const organization = organizations.get(connector.id);
    if (organization === undefined) return [];
    return [{...connector, ...firstKey, organization}];
  });
  if (made.length > 0) {
    const rows = made.flatMap((connector) => connectorRows.values(connector));
    await run(insertConnectors(made.length), rows);
  }
  return made;
}
