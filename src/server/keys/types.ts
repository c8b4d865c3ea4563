import * as z from 'zod/mini';
import {Description} from '../../contract/index.js';
import type {ApiKeyRecord} from '../../domain/records.js';

/** Settings of a new API key. */
export const NewKey = z.object({
  organization: z.string().check(
    z.regex(/^[a-z0-9._-]{1,64}$/, {
      error: 'must be 1 to 64 of the characters a-z, 0-9, ".", "_" and "-"',
    }),
  ),
  description: z.nullable(Description),
  /** Milliseconds since the Unix epoch; null for a key that does not expire. */
  expiresAt: z.nullable(z.pipe(z.number(), z.transform(Math.round))),
});
export type NewKey = z.infer<typeof NewKey>;

/** An API key without its hash. */
export type ApiKeyInfo = Omit<ApiKeyRecord, 'hash'>;

/** A new API key; its secret is available only here. */
export interface CreatedKey {
  readonly record: ApiKeyInfo;
  readonly secret: string;
}

/** The API keys of a store, wherever it is open. Every method rejects with an `AppError`. */
export interface Keyring {
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
  /** Releases the store or the connection. */
  close(): Promise<void>;
}
