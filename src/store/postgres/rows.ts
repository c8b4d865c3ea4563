import type {
  ApiKeyRecord,
  ConnectorRecord,
  NewConnector,
  TokenRecord,
} from '../../domain/records.js';

/** The records of the domain as rows: their columns and types, their values, and how they are read. */

/** The column of each field, and its type. */
type Columns<Row> = {
  readonly [Field in keyof Row]: readonly [name: string, type: 'text' | 'bigint'];
};

/** The rows of a table. What statements say about its columns, and their values, follow from one list. */
export class Rows<Row extends object> {
  /** The names of the columns, in the order of `values`. */
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly #fields: readonly (keyof Row & string)[];

  constructor(columns: Columns<Row>) {
    this.#fields = Object.keys(columns) as (keyof Row & string)[];
    this.names = this.#fields.map((field) => columns[field][0]);
    this.types = this.#fields.map((field) => columns[field][1]);
  }

  /** The values of a row as parameters of a statement, numbered from `first` on. */
  parameters(first: number): string {
    return this.types.map((type, index) => `$${first + index}::${type}`).join(', ');
  }

  /** The columns to read, each named like its field. */
  columns(table: string): string {
    return this.names.map((name, at) => `${table}.${name} AS "${this.#fields[at]}"`).join(', ');
  }

  values(row: Row): readonly unknown[] {
    return this.#fields.map((field) => row[field]);
  }

  /** A row without the columns of the other tables of a join. */
  pick(row: Row): Row {
    const isOwn = new Set<string>(this.#fields);
    const own = Object.entries(row).filter(([field]) => isOwn.has(field));
    return Object.fromEntries(own) as Row;
  }
}

export const apiKeyRows = new Rows<ApiKeyRecord>({
  id: ['id', 'text'],
  organization: ['organization', 'text'],
  hash: ['hash', 'text'],
  description: ['description', 'text'],
  createdAt: ['created_at', 'bigint'],
  expiresAt: ['expires_at', 'bigint'],
  revokedAt: ['revoked_at', 'bigint'],
  lastUsedAt: ['last_used_at', 'bigint'],
  revocationReason: ['revocation_reason', 'text'],
});

const newConnector: Columns<NewConnector> = {
  id: ['id', 'text'],
  organization: ['organization', 'text'],
  name: ['name', 'text'],
  keyHash: ['key_hash', 'text'],
  activatedAt: ['activated_at', 'bigint'],
  lastHeartbeatAt: ['last_heartbeat_at', 'bigint'],
};

export const connectorRows = new Rows<ConnectorRecord>({
  ...newConnector,
  revokedAt: ['revoked_at', 'bigint'],
  revocationReason: ['revocation_reason', 'text'],
  endedKeyHash: ['ended_key_hash', 'text'],
  reissueHash: ['reissue_hash', 'text'],
});

const {organization: _organization, ...draft} = newConnector;
/** What an activation knows of its connector; the organization is that of the token. */
export const draftRows = new Rows<Omit<NewConnector, 'organization'>>(draft);

/** The columns of a token. */
export interface TokenRow extends Omit<TokenRecord, 'organization' | 'redemption'> {
  readonly tokenOrganization: string;
  readonly redeemedAt: number | null;
  readonly attemptId: string | null;
  readonly idempotencyHash: string | null;
}

export const tokenRows = new Rows<TokenRow>({
  hash: ['hash', 'text'],
  tokenOrganization: ['organization', 'text'],
  description: ['description', 'text'],
  createdAt: ['created_at', 'bigint'],
  expiresAt: ['expires_at', 'bigint'],
  redeemedAt: ['redeemed_at', 'bigint'],
  attemptId: ['connector_id', 'text'],
  idempotencyHash: ['idempotency_hash', 'text'],
  reissues: ['reissues', 'text'],
});

/** The values of `tokenRows`. */
export function tokenValues({organization, redemption, ...token}: TokenRecord): readonly unknown[] {
  return tokenRows.values({
    ...token,
    tokenOrganization: organization,
    redeemedAt: redemption?.at ?? null,
    attemptId: redemption?.attemptId ?? null,
    idempotencyHash: redemption?.idempotencyHash ?? null,
  });
}

/** A row of `findRedemption`; the columns of the connector are null without one. */
export type RedemptionRow = TokenRow & Omit<ConnectorRecord, 'id'> & {readonly id: string | null};

/** The token of a row. */
export function readToken(row: TokenRow): TokenRecord {
  const {hash, description, createdAt, expiresAt, reissues} = row;
  const {redeemedAt, attemptId, idempotencyHash} = row;
  const redemption =
    redeemedAt === null || attemptId === null ? null : {at: redeemedAt, attemptId, idempotencyHash};
  const organization = row.tokenOrganization;
  return {hash, organization, description, createdAt, expiresAt, reissues, redemption};
}

/** The token of a row, and its connector (`boundId`). */
export function readRedemption(
  row: RedemptionRow,
): readonly [token: TokenRecord, connector: ConnectorRecord | undefined] {
  const {id} = row;
  return [readToken(row), id === null ? undefined : connectorRows.pick({...row, id})];
}
