import * as z from 'zod/mini';
import {Description, keyAccesses} from '../../contract/index.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import type {RemovalRules} from '../../domain/removal.js';

/** Settings of a new API key. */
export const NewKey = z.object({
  organization: z.string().check(
    z.regex(/^[a-z0-9._-]{1,64}$/, {
      error: 'must be 1 to 64 of the characters a-z, 0-9, ".", "_" and "-"',
    }),
  ),
  access: z._default(z.enum(keyAccesses), 'full'),
  description: z.nullable(Description),
  /** Milliseconds since the Unix epoch; null for a key that does not expire. */
  expiresAt: z.nullable(z.pipe(z.number(), z.transform(Math.round))),
});
export type NewKey = z.input<typeof NewKey>;

/** An API key without its hash, or the own key of a connector. */
export interface ApiKeyInfo extends Omit<ApiKeyRecord, 'access' | 'hash'> {
  readonly access: ApiKeyRecord['access'] | 'connector';
}

/** A new API key; its secret is available only here. */
export interface CreatedKey {
  readonly record: ApiKeyInfo;
  readonly secret: string;
}

/** What an operator does with a store, wherever it is open. Every method rejects with an `AppError`. */
export interface StoreAdmin {
  create(key: NewKey): Promise<CreatedKey>;
  /**
   * All API keys, oldest first, including revoked and expired ones; then the revoked keys of connectors,
   * by connector id.
   */
  list(): Promise<readonly ApiKeyInfo[]>;
  /**
   * Revokes an API key by its id, or a connector's own key by the id of the connector. A key that is
   * revoked already keeps its time and reason. Rejects with `not_found` for an unknown id.
   */
  revoke(id: string, reason: string | null): Promise<ApiKeyInfo>;

  /**
   * Finds the connectors of all organizations that a query names, page by page.
   *
   * @param place null for the first page
   * @returns those of the page, maybe none, and where the next one begins; null after the last
   */
  select(
    query: RemovalQuery,
    place: Place | null,
  ): Promise<{readonly connectors: readonly ConnectorInfo[]; readonly next: Place | null}>;

  /** The connectors with these ids, at most `removalBatch`. */
  find(ids: readonly string[]): Promise<readonly ConnectorInfo[]>;

  /**
   * Removes connectors, at most `removalBatch`, all or none; see `Store.removeConnectors`.
   *
   * @param silentFor as in `RemovalQuery`, at the moment of the removal; null for any
   * @returns those that were removed
   */
  remove(ids: readonly string[], silentFor: number | null): Promise<readonly ConnectorInfo[]>;

  /**
   * Creates a token that gives a connector a new key. Rejects with `not_found` for an unknown id.
   *
   * @param revokesNow revokes the key that the connector has
   */
  reissue(id: string, revokesNow: boolean): Promise<ReissuedToken>;

  /** Releases the store or the connection. */
  close(): Promise<void>;
}

/** The methods of `StoreAdmin` that a running service carries out for a command. */
export const adminMethods = [
  'create',
  'list',
  'revoke',
  'select',
  'find',
  'remove',
  'reissue',
] as const satisfies readonly (keyof StoreAdmin)[];
export type AdminMethod = (typeof adminMethods)[number];

/** A connector without its keys. */
export type ConnectorInfo = Pick<
  ConnectorRecord,
  'id' | 'organization' | 'name' | 'activatedAt' | 'lastHeartbeatAt' | 'revokedAt'
>;

/** Which connectors to find. */
export interface RemovalQuery extends Omit<RemovalRules, 'lastHeartbeatBefore'> {
  /** Only connectors that sent heartbeats, and none for this many milliseconds. */
  readonly silentFor?: number | undefined;
}

/** Where a search continues: after an id of an organization. */
export interface Place {
  readonly organization: string;
  readonly after: string;
}

/** A token for a new key; its secret is available only here. */
export interface ReissuedToken {
  readonly token: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  readonly connector: ConnectorInfo;
}
