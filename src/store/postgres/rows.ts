import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';

/** The records of the domain as rows: their columns and types, their values, and how they are read. */

export const connectorColumns = (table: string): string =>
  `${table}.id, ${table}.organization, ${table}.name, ${table}.key_hash AS "keyHash",
   ${table}.activated_at AS "activatedAt", ${table}.last_heartbeat_at AS "lastHeartbeatAt",
   ${table}.revoked_at AS "revokedAt", ${table}.revocation_reason AS "revocationReason",
   ${table}.replaced_key_hash AS "replacedKeyHash", ${table}.ended_key_hash AS "endedKeyHash"`;

/** The columns of an API key and their types, in the order of `apiKeyValues`. */
export const apiKeyTypes = {
  id: 'text',
  organization: 'text',
  hash: 'text',
  description: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  revoked_at: 'bigint',
  last_used_at: 'bigint',
  revocation_reason: 'text',
} as const;

export function apiKeyValues(record: ApiKeyRecord): readonly unknown[] {
  const {id, organization, hash, description} = record;
  const {createdAt, expiresAt, revokedAt, lastUsedAt, revocationReason} = record;
  const times = [createdAt, expiresAt, revokedAt, lastUsedAt];
  return [id, organization, hash, description, ...times, revocationReason];
}

/** The columns of a connector and their types, in the order of `connectorValues`. */
export const connectorTypes = {
  id: 'text',
  organization: 'text',
  name: 'text',
  key_hash: 'text',
  activated_at: 'bigint',
  last_heartbeat_at: 'bigint',
  revoked_at: 'bigint',
  revocation_reason: 'text',
  replaced_key_hash: 'text',
  ended_key_hash: 'text',
} as const;

export function connectorValues(connector: ConnectorRecord): readonly unknown[] {
  const {id, organization, name, keyHash, activatedAt, lastHeartbeatAt} = connector;
  const {revokedAt, revocationReason, replacedKeyHash, endedKeyHash} = connector;
  return [
    id,
    organization,
    name,
    keyHash,
    activatedAt,
    lastHeartbeatAt,
    revokedAt,
    revocationReason,
    replacedKeyHash,
    endedKeyHash,
  ];
}

/** The columns of a token and their types, in the order of `tokenValues`. */
export const tokenTypes = {
  hash: 'text',
  organization: 'text',
  description: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  redeemed_at: 'bigint',
  connector_id: 'text',
  idempotency_hash: 'text',
  reissues: 'text',
} as const;

export function tokenValues(token: TokenRecord): readonly unknown[] {
  const {hash, organization, description, createdAt, expiresAt, redemption, reissues} = token;
  const used = [redemption?.at, redemption?.connectorId, redemption?.idempotencyHash];
  return [hash, organization, description, createdAt, expiresAt, ...used, reissues];
}

export const apiKeyColumns = `id, organization, hash, description, created_at AS "createdAt",
   expires_at AS "expiresAt", revoked_at AS "revokedAt",
   revocation_reason AS "revocationReason", last_used_at AS "lastUsedAt"`;

export const tokenColumns = `t.hash, t.organization AS "tokenOrganization", t.description,
   t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.redeemed_at AS "redeemedAt",
   t.connector_id AS "connectorId", t.idempotency_hash AS "idempotencyHash",
   t.reissues`;

/** The columns of a token. */
export interface TokenRow extends Omit<TokenRecord, 'organization' | 'redemption'> {
  readonly tokenOrganization: string;
  readonly redeemedAt: number | null;
  readonly connectorId: string | null;
  readonly idempotencyHash: string | null;
}

/** A row of `findRedemption`; the columns of the connector are null without one. */
export type RedemptionRow = TokenRow & Omit<ConnectorRecord, 'id'> & {readonly id: string | null};

/** The token of a row. */
export function readToken(row: TokenRow): TokenRecord {
  const {hash, description, createdAt, expiresAt, reissues} = row;
  const {redeemedAt, connectorId, idempotencyHash} = row;
  const redemption =
    redeemedAt === null || connectorId === null
      ? null
      : {at: redeemedAt, connectorId, idempotencyHash};
  const organization = row.tokenOrganization;
  return {hash, organization, description, createdAt, expiresAt, reissues, redemption};
}

/** The token of a row, and its connector (`boundId`). */
export function readRedemption(
  row: RedemptionRow,
): readonly [token: TokenRecord, connector: ConnectorRecord | undefined] {
  const {id, organization, name, keyHash, activatedAt, lastHeartbeatAt} = row;
  const {revokedAt, revocationReason, replacedKeyHash, endedKeyHash} = row;
  const times = {activatedAt, lastHeartbeatAt};
  const keys = {keyHash, revokedAt, revocationReason, replacedKeyHash, endedKeyHash};
  return [readToken(row), id === null ? undefined : {id, organization, name, ...times, ...keys}];
}
