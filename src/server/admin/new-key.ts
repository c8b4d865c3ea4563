import * as z from 'zod/mini';
import {Description, keyAccesses} from '../../contract/index.js';
import {type ApiKeyRecord, notRevoked} from '../../domain/records.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {Runtime} from '../context.js';

/** Settings of a new API key. */
const NewKey = z.object({
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

/** The latest time with a four-digit year in ISO 8601. */
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Makes an API key. @throws AppError `usage` when a setting is not valid */
export function makeKey(key: NewKey, {now, newId, randomBytes}: Runtime) {
  const createdAt = now();
  const read = NewKey.safeParse(key);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new AppError('usage', `The ${issue?.path.join('.')} ${issue?.message}.`, {
      reason: 'key-invalid',
    });
  }
  const {expiresAt} = read.data;
  if (expiresAt !== null && (expiresAt <= createdAt || expiresAt > latestExpiry)) {
    throw new AppError('usage', 'The key would expire before it is created, or after year 9999.', {
      reason: 'key-expiry-invalid',
    });
  }
  const secret = formatSecret('organizationKey', randomBytes(secretBytes));
  const record: ApiKeyRecord = {
    id: newId('key', createdAt),
    ...read.data,
    hash: hashSecret(secret),
    createdAt,
    ...notRevoked,
    lastUsedAt: null,
  };
  return {record, secret};
}
