import type * as z from 'zod/mini';
import {type ApiKeyRecord, notRevoked} from '../../domain/records.js';
import {formatSecret, hashSecret, secretBytes} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {Runtime} from '../runtime.js';
import {NewKey} from './types.js';

/** The latest time with a four-digit year in ISO 8601. */
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Makes an API key. @throws AppError `usage` when a setting is not valid */
export function makeKey(
  key: NewKey,
  runtime: Runtime,
): {readonly record: ApiKeyRecord; readonly secret: string} {
  const createdAt = runtime.now();
  const {expiresAt, ...settings} = readNewKey(key);
  if (expiresAt !== null) checkExpiry(expiresAt, createdAt);
  const secret = formatSecret('organizationKey', runtime.randomBytes(secretBytes));
  const record: ApiKeyRecord = {
    id: runtime.newId('key', createdAt),
    ...settings,
    hash: hashSecret(secret),
    createdAt,
    expiresAt,
    ...notRevoked,
    lastUsedAt: null,
  };
  return {record, secret};
}

function checkExpiry(expiresAt: number, createdAt: number): void {
  if (expiresAt <= createdAt) {
    throw new AppError('usage', 'The key would expire before it is created.', {
      reason: 'key-expiry-past',
    });
  }
  if (expiresAt > latestExpiry) {
    throw new AppError('usage', 'The key would expire after the year 9999.', {
      reason: 'key-expiry-too-late',
    });
  }
}

function readNewKey(key: NewKey): z.output<typeof NewKey> {
  const read = NewKey.safeParse(key);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new AppError('usage', `The ${issue?.path.join('.')} ${issue?.message}.`, {
    reason: 'key-invalid',
  });
}
