import {type RedemptionAttempt, type Reissue, reissueToken} from '../../domain/activation.js';
import {replaceKey} from '../../domain/connector-keys.js';
import type {ConnectorRecord} from '../../domain/records.js';
import type {Database} from './connection/database.js';
import type {Statement} from './connection/run.js';
import {connectorRows, type TokenRow, tokenValues} from './rows.js';
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

/** A closed token is used, for no connector. */
const close =
  "redeemed_at = COALESCE(redeemed_at, created_at), connector_id = '', idempotency_hash = NULL";

/** Without a name, so that the server plans it with the ids; it reads the whole table. */
const closeTokens: Statement = {
  text: `UPDATE activation_tokens SET ${close}
         WHERE connector_id = ANY($1::text[]) OR reissues = ANY($1::text[])`,
};

const closeReissues: Statement = {
  name: 'close_reissues',
  text: `UPDATE activation_tokens SET ${close}
         WHERE reissues = $1 AND redeemed_at IS NULL AND hash <> $2`,
};

const closeToken: Statement = {
  name: 'close_token',
  text: `UPDATE activation_tokens SET ${close} WHERE hash = $1 AND redeemed_at IS NULL`,
};

const expectReissue: Statement = {
  name: 'expect_reissue',
  text: `UPDATE connectors SET reissue_hash = $2 WHERE id = $1
         RETURNING ${connectorRows.columns('connectors')}`,
};

const lockForReissue: Statement = {
  name: 'lock_for_reissue',
  text: `UPDATE connectors SET activated_at = activated_at WHERE id = $1
         RETURNING ${connectorRows.columns('connectors')}, reissue_hash AS "reissueHash"`,
};

/** Marks a valid token as used; a repeat of the same attempt finds it used. */
const redeemReissue: Statement = {
  name: 'redeem_reissue',
  text: `UPDATE activation_tokens
         SET redeemed_at = $2, connector_id = reissues, idempotency_hash = $3
         WHERE hash = $1 AND redeemed_at IS NULL AND expires_at > $2
         RETURNING hash`,
};

const writeKeys: Statement = {
  name: 'write_keys',
  text: `UPDATE connectors
         SET name = $2, key_hash = $3, revoked_at = $4, revocation_reason = $5,
           replaced_key_hash = $6, ended_key_hash = $7
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
    if (removed.length > 0) await run(closeTokens, [removed.map(({id}) => id)]);
    // Connectors that are not there may have been removed by a commit that still waits for a standby.
    else await run(statements.confirmStore);
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
    await run(closeReissues, [id, tokenHash]);
    await run(insertTokens(1), tokenValues(reissueToken(reissue, connector.organization)));
    return connector;
  });
}

/**
 * Redeems a token for a new key (`replaceKey`).
 *
 * @returns undefined when it cannot be redeemed any more; it is closed then if it was not used
 */
export function redeemForKey(
  database: Database,
  id: string,
  attempt: RedemptionAttempt,
): Promise<ConnectorRecord | undefined> {
  const {tokenHash, at, idempotencyHash, connector} = attempt;
  /** By an earlier try whose commit had no answer. */
  let isMarked = false;
  return database.changeTogether(async (run) => {
    const [locked] = await run<ConnectorRecord & {reissueHash: string | null}>(lockForReissue, [
      id,
    ]);
    if (locked === undefined) return undefined;
    const {reissueHash, ...found} = locked;
    // Of two tokens that were made at the same time, Citus may not have shown the first to the second.
    if (reissueHash !== null && reissueHash !== tokenHash) {
      await run(closeToken, [tokenHash]);
      return undefined;
    }
    const marked = await run(redeemReissue, [tokenHash, at, idempotencyHash]);
    if (marked.length === 0) {
      if (!isMarked) return undefined;
      const [token] = await run<TokenRow>(statements.findToken, [tokenHash]);
      const isOwn = token?.redeemedAt === at && token.idempotencyHash === idempotencyHash;
      return isOwn ? found : undefined;
    }
    isMarked = true;
    const renewed = replaceKey(found, {name: connector.name, keyHash: attempt.keyHashOf(id)});
    const {name, keyHash, revokedAt, revocationReason, replacedKeyHash, endedKeyHash} = renewed;
    const keys = [keyHash, revokedAt, revocationReason, replacedKeyHash, endedKeyHash];
    await run(writeKeys, [id, name, ...keys]);
    return renewed;
  });
}
