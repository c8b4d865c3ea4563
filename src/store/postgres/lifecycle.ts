import {
  type RedemptionAttempt,
  type RedemptionResult,
  type Reissue,
  redeemToken,
  reissueToken,
} from '../../domain/activation.js';
import type {ConnectorRecord} from '../../domain/records.js';
import type {Database} from './connection/database.js';
import type {Statement} from './connection/run.js';
import {connectorRows, readToken, type TokenRow, tokenValues} from './rows.js';
import {insertTokens, statements} from './statements.js';

/**
 * How a connector gets a new key, and how it goes. Both are rare, so each is a transaction of plain statements, the
 * same on one server and on Citus. All of them lock the connector before its tokens.
 */

/** PostgreSQL rejects NUL, and no id contains it. */
export const isPossible = (id: string): boolean => !id.includes('\0');

const removeSome: Statement = {
  name: 'remove_connectors',
  text: `DELETE FROM connectors
         WHERE id = ANY($1::text[]) AND ($2::bigint IS NULL OR last_heartbeat_at < $2)
         RETURNING ${connectorRows.columns('connectors')}`,
};

const expectReissue: Statement = {
  name: 'expect_reissue',
  text: `UPDATE connectors SET reissue_hash = $2 WHERE id = $1
         RETURNING ${connectorRows.columns('connectors')}`,
};

const lockForReissue: Statement = {
  name: 'lock_for_reissue',
  text: `UPDATE connectors SET activated_at = activated_at WHERE id = $1
         RETURNING ${connectorRows.columns('connectors')}`,
};

/** Marks a valid token as used; a repeat of the same attempt finds it used. */
const redeemReissue: Statement = {
  name: 'redeem_reissue',
  text: `UPDATE activation_tokens
         SET redeemed_at = $2, connector_id = $4, idempotency_hash = $3
         WHERE hash = $1 AND redeemed_at IS NULL AND expires_at > $2
         RETURNING hash`,
};

const writeKeys: Statement = {
  name: 'write_keys',
  text: `UPDATE connectors
         SET name = $2, key_hash = $3, revoked_at = $4, revocation_reason = $5,
           ended_key_hash = $6, reissue_hash = $7
         WHERE id = $1`,
};

/** See `Store.removeConnectors`. */
export function removeConnectors(
  database: Database,
  ids: readonly string[],
  lastHeartbeatBefore: number | null,
): Promise<readonly ConnectorRecord[]> {
  /** Removed by an earlier try whose commit had no answer. */
  const unanswered = new Map<string, ConnectorRecord>();
  return database.transaction(async (run) => {
    const possible = ids.filter(isPossible);
    const removed = await run<ConnectorRecord>(removeSome, [possible, lastHeartbeatBefore]);
    // Connectors that are not there may have been removed by a commit that still waits for a standby.
    if (removed.length === 0) await run(statements.confirmStore);
    for (const connector of removed) unanswered.set(connector.id, connector);
    return [...unanswered.values()];
  });
}

/** See `Store.reissueToken`. */
export async function issueReissue(
  database: Database,
  reissue: Reissue,
): Promise<ConnectorRecord | undefined> {
  const {connectorId: id, tokenHash, createdAt, revocation} = reissue;
  if (!isPossible(id)) return undefined;
  return database.changeTogether(async (run) => {
    if (revocation !== null) {
      await run(statements.revokeConnector, [id, createdAt, revocation.reason]);
    }
    const [connector] = await run<ConnectorRecord>(expectReissue, [id, tokenHash]);
    if (connector === undefined) return undefined;
    const {write} = reissueToken(connector, reissue);
    for (const token of write.tokens ?? []) await run(insertTokens(1), tokenValues(token));
    return connector;
  });
}

/** Redeems a token for a new key. */
export function redeemForKey(
  database: Database,
  id: string,
  attempt: RedemptionAttempt,
): Promise<RedemptionResult> {
  const {tokenHash, at, idempotencyHash} = attempt;
  return database.changeTogether(async (run) => {
    const [bound] = await run<ConnectorRecord>(lockForReissue, [id]);
    const [row] = await run<TokenRow>(statements.findToken, [tokenHash]);
    const {answer} = redeemToken(row && readToken(row), bound, attempt, true);
    if (answer.outcome !== 'reissued') return answer;
    await run(redeemReissue, [tokenHash, at, idempotencyHash, attempt.connector.id]);
    const {name, keyHash, revokedAt, revocationReason, endedKeyHash, reissueHash} =
      answer.connector;
    const keys = [keyHash, revokedAt, revocationReason, endedKeyHash, reissueHash];
    await run(writeKeys, [id, name, ...keys]);
    return answer;
  });
}
