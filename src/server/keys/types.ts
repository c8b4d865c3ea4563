import * as z from 'zod/mini';
import {Description} from '../../contract/index.js';
import type {ApiKeyRecord} from '../../domain/records.js';

/** What a new API key is for. */
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

/** An API key as its owner may see it: without the hash. */
export type ApiKeyInfo = Omit<ApiKeyRecord, 'hash'>;

/** A new API key; this is the only time that its secret is there to see. */
export interface CreatedKey {
  readonly record: ApiKeyInfo;
  readonly secret: string;
}

/** The API keys of a store, wherever it is open. Every method rejects with an `AppError`. */
export interface Keyring {
  create(key: NewKey): Promise<CreatedKey>;
  /**
   * All API keys, oldest first, revoked and expired ones too; then the keys of connectors that were
   * revoked, by the ids of the connectors.
   */
  list(): Promise<readonly ApiKeyInfo[]>;
  /**
   * Revokes an API key, or the own key of a connector, by its id; or says again when it was revoked, and
   * why. Rejects with `not_found` when there is no such key.
   */
  revoke(id: string, reason?: string | null): Promise<ApiKeyInfo>;
  /** Lets go of what the keyring holds. */
  close(): Promise<void>;
}
