import {type RedemptionAttempt, tokenRetentionDays} from '../../domain/activation.js';
import type {TokenRecord} from '../../domain/records.js';
import {day} from '../../domain/time.js';
import type {HeartbeatRecord, StoreLog} from '../store.js';
import type {Run, Statement} from './connection/run.js';
import {statements} from './statements.js';

/** A change that the database acknowledged and has lost since. */
interface LostChange {
  readonly change: 'activation' | 'heartbeat' | 'revocation' | 'token';
  /** Id of the connector or API key; tokens have none that may be shown. */
  readonly id?: string;
  readonly acknowledged?: string;
  readonly found?: string | null;
}

type Revocable = 'key' | 'connector';

const findValid: Readonly<Record<Revocable, Statement>> = {
  key: statements.findValidKey,
  connector: statements.findValidConnector,
};

/** A connector that was activated, by the id that it has now. */
interface Activated extends Pick<RedemptionAttempt, 'tokenHash' | 'at'> {
  readonly id: string;
}

interface Parts {
  readonly log: StoreLog;
  readonly now: () => number;
  readonly onRegression: (() => void) | undefined;
}

/**
 * The latest changes that this process knows to be committed. If the database no longer holds them, it
 * has gone back in time: a standby without the last commits was promoted, or a backup was restored.
 */
export class AcknowledgedState {
  readonly #parts: Parts;
  /** For each shard, the connector of the latest heartbeat. */
  readonly #heartbeats = new Map<number, Pick<HeartbeatRecord, 'id' | 'lastHeartbeatAt'>>();
  #activated: Activated | undefined;
  #token: TokenRecord | undefined;
  readonly #revoked = new Map<Revocable, {readonly id: string; readonly hash: string}>();
  #warnings: readonly string[] = [];
  /** Whether the database may have lost changes since the last comparison. */
  isSuspect = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Warnings for the operator. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  heartbeat(shard: number, {id, lastHeartbeatAt}: HeartbeatRecord): void {
    this.#heartbeats.set(shard, {id, lastHeartbeatAt});
  }

  activation({tokenHash, at}: RedemptionAttempt, {id}: {readonly id: string}): void {
    this.#activated = {id, tokenHash, at};
  }

  token(token: TokenRecord): void {
    this.#token = token;
  }

  /** @param hash of the key that is revoked */
  revocation(of: Revocable, id: string, hash: string): void {
    this.#revoked.set(of, {id, hash});
  }

  /** Compares the remembered changes with the database. Rejects with the error of `run`. */
  async compare(run: Run): Promise<void> {
    const lost = [
      ...(await this.#findLostConnectors(run)),
      ...(await this.#findLostToken(run)),
      ...(await this.#findLostRevocations(run)),
    ];
    this.isSuspect = false;
    if (lost.length === 0) return;
    const {log, now, onRegression} = this.#parts;
    const message =
      'the database has lost changes that it had acknowledged: it has gone back to an older state';
    log.error({lost}, message);
    onRegression?.();
    const at = new Date(now()).toISOString();
    // Warn once; from now on compare with the changes acknowledged after this point.
    this.#warnings = [`At ${at} ${message}. The log says which.`];
    this.#heartbeats.clear();
    this.#activated = undefined;
    this.#token = undefined;
    this.#revoked.clear();
  }

  async #findLostConnectors(run: Run): Promise<readonly LostChange[]> {
    const recorded = [...this.#heartbeats.values()];
    const ids = recorded.map(({id}) => id);
    // Other activations may be acknowledged meanwhile.
    const activated = this.#activated;
    if (activated !== undefined) ids.push(activated.id);
    if (ids.length === 0) return [];
    const rows = await run<{id: string; at: number | null}>(statements.readHeartbeats, [ids]);
    const found = new Map(rows.map(({id, at}) => [id, at]));
    const lost: LostChange[] = recorded
      // One that is missing may have been removed.
      .filter(({id, lastHeartbeatAt: at}) => found.has(id) && (found.get(id) ?? 0) < (at ?? 0))
      .map(({id, lastHeartbeatAt: at}) => ({
        change: 'heartbeat',
        id,
        acknowledged: format(at ?? 0),
        found: mapTime(found.get(id)),
      }));
    if (activated !== undefined && !found.has(activated.id)) {
      if (!(await this.#wasRemoved(run, activated))) {
        lost.push({change: 'activation', id: activated.id});
      }
    }
    return lost;
  }

  /** Whether a connector that is missing was removed, which closes its token. */
  async #wasRemoved(run: Run, {tokenHash, at}: Activated): Promise<boolean> {
    // Housekeeping may have deleted its token.
    if (at + tokenRetentionDays * day < this.#parts.now()) return true;
    const [token] = await run<{attemptId: string | null}>(statements.findToken, [tokenHash]);
    return token?.attemptId === '';
  }

  async #findLostToken(run: Run): Promise<readonly LostChange[]> {
    const token = this.#token;
    // Housekeeping deletes tokens some time after their expiry.
    if (token === undefined || token.expiresAt < this.#parts.now()) return [];
    const rows = await run(statements.findToken, [token.hash]);
    return rows.length === 0 ? [{change: 'token'}] : [];
  }

  async #findLostRevocations(run: Run): Promise<readonly LostChange[]> {
    const lost: LostChange[] = [];
    for (const [of, {id, hash}] of this.#revoked) {
      const rows = await run(findValid[of], [id, hash]);
      if (rows.length > 0) lost.push({change: 'revocation', id});
    }
    return lost;
  }
}

const format = (at: number): string => new Date(at).toISOString();

const mapTime = (at: number | null | undefined): string | null => (at ? format(at) : null);
